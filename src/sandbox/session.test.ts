import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** Storage as a page's tab has it. */
class TabStorage extends Map<string, string> {
  getItem(key: string): string | null {
    return this.get(key) ?? null
  }

  setItem(key: string, text: string): void {
    this.set(key, text)
  }

  removeItem(key: string): void {
    this.delete(key)
  }
}

const warnings: string[] = []
let storage: TabStorage

beforeEach(() => {
  storage = new TabStorage()
  vi.stubGlobal('sessionStorage', storage)
  vi.spyOn(console, 'warn').mockImplementation((text) => warnings.push(text))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  warnings.length = 0
})

/** The status of a list, and how many requests are left. */
async function list(sandbox: Sandbox): Promise<string> {
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const response = await sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))
  await new Promise((resolve) => setTimeout(resolve, 5))
  return `${response.status} ${response.headers.get('X-RateLimit-Remaining')}`
}

const snapshot = await createSandbox().snapshot()

describe('a session that persists', () => {
  it('keeps bans', async () => {
    const options = { persist: 'session', plans: { free: { minute: 1 } } } as const
    const first = createSandbox(options)
    first.clock.set('2027-03-01T12:00:00Z')
    for (let request = 0; request <= 10; request += 1) await list(first)

    const second = createSandbox(options)
    second.clock.advance('61s')

    expect(await list(second)).toBe('429 1')
    second.clock.advance('4m')
    expect(await list(second)).toBe('200 0')
  })

  it.each([
    ['no JSON', '{'],
    ['of another version', JSON.stringify({ ...snapshot, version: 0 })],
    ['without a state', '{"version":1}'],
    ['without its parts', '{"version":1,"state":{"records":{},"clock":{"offset":0}}}'],
    [
      'with a record that the contract refuses',
      JSON.stringify({
        ...snapshot,
        state: { ...snapshot.state, records: { pets: { rows: [{}] } } },
      }),
    ],
  ])('is dropped with a warning when it is %s', async (_name, text) => {
    storage.setItem('pet-sandbox Pet Adoption Store 1.0.0', text)

    const sandbox = createSandbox({ persist: 'session' })

    expect(await sandbox.collection('pets').count()).toBe(50)
    expect(warnings).toEqual([expect.stringContaining('The kept session is dropped')])
  })

  it('continues with a warning when the storage is full', async () => {
    storage.setItem = () => {
      throw new Error('QuotaExceededError')
    }

    expect(await list(createSandbox({ persist: 'session' }))).toBe('200 59')
    // The session is saved after the response.
    await expect.poll(() => warnings).toEqual([expect.stringContaining('QuotaExceededError')])
  })

  it('is rejected where there is no storage', () => {
    vi.stubGlobal('sessionStorage', undefined)

    expect(() => createSandbox({ persist: 'session' })).toThrow(
      expect.objectContaining({ code: 'no_session_storage' }),
    )
  })
})
