import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import { createSandboxServer } from './server.ts'
import type { Settle } from './settle.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(sandbox: Sandbox, settle: Settle): Promise<string> {
  const server = createSandboxServer(sandbox, { settle })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function post(base: string, body: object = { name: 'Rex', categoryId: 1 }): Promise<Response> {
  const headers = {
    Authorization: 'Bearer sk_sandbox_free',
    'Content-Type': 'application/json',
  }
  return fetch(`${base}/pets`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const full: Settle = () => Promise.reject(new Error('The disk is full.'))

test('a creation that cannot be kept is journaled as it was answered', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, full)

  const response = await post(base)
  const body = await response.json()

  expect(response.status).toBe(500)
  expect(response.headers.get('X-RateLimit-Remaining')).toBe('59')
  expect(sandbox.journal.exchanges).toMatchObject([
    {
      operation: 'createPet',
      status: 500,
      reason: 'internal-error',
      refusal: {
        code: 'internal_error',
        message:
          'What the request did is not kept, and lost if the sandbox ends now. The disk is full.',
      },
    },
  ])
  expect(sandbox.journal.exchanges[0]?.response.body).toBe(JSON.stringify(body))
})

test('a creation is told once it is kept, and journaled no earlier', async () => {
  const sandbox = createSandbox()
  const journaled: number[] = []
  const base = await serve(sandbox, async () => void journaled.push(sandbox.journal.last))

  const response = await post(base)

  expect(response.status).toBe(201)
  expect(journaled).toEqual([0])
  expect(sandbox.journal.exchanges).toMatchObject([{ status: 201 }])
})

test('what changes nothing is not held up by what cannot be kept', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, full)

  const answers = [await fetch(`${base}/pets`), await post(base, {})]

  expect(answers.map(({ status }) => status)).toEqual([401, 400])
})
