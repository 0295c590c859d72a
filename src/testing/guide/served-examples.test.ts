import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { serveSandbox, stopServers } from '../servers.ts'

const { origin } = await serveSandbox()

afterAll(async () => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  await stopServers()
})

describe('the examples for a running sandbox: client.spec.ts', async () => {
  vi.stubEnv('PET_SANDBOX_URL', origin)
  await import('./examples/client.spec.ts')
})

/** What Cypress does with the commands of a test: one after another, after the test's function. */
class Commands {
  #queue: Promise<unknown> = Promise.resolve()
  #page = ''

  wrap(value: unknown): void {
    this.#add(() => value)
  }

  /** A page that lists records, and shows how long it has to wait. */
  visit(): void {
    this.#add(async () => {
      const headers = { Authorization: 'Bearer sk_sandbox_free' }
      const response = await fetch('http://127.0.0.1:4010/v1/pets', { headers })
      this.#page = `Wait for ${response.headers.get('Retry-After')} seconds`
    })
  }

  contains(text: string): void {
    this.#add(() => expect(this.#page).toContain(text))
  }

  end(): Promise<unknown> {
    return this.#queue
  }

  #add(run: () => unknown): void {
    this.#queue = this.#queue.then(run)
  }
}

describe('the example for Cypress: cypress.cy.js', async () => {
  const commands = new Commands()
  const { fetch: realFetch } = globalThis
  beforeEach(() => {
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) =>
      realFetch(new Request(String(input).replace('http://127.0.0.1:4010', origin), init)),
    )
  })
  afterEach(() => commands.end())
  vi.stubGlobal('cy', commands)
  vi.stubGlobal('it', test)
  vi.stubGlobal('beforeEach', beforeEach)
  // TypeScript does not read JavaScript.
  await import(new URL('./examples/cypress.cy.js', import.meta.url).href)
})
