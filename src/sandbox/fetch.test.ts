import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSandbox, type ShippedSandbox } from './sandbox.ts'

const HEADERS = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }
const BODY = '{"name":"Rex","categoryId":1}'

function add(
  sandbox: ShippedSandbox,
  signal: AbortSignal,
  body: BodyInit = BODY,
): Promise<Response> {
  const init: RequestInit & { readonly duplex: 'half' } = {
    method: 'POST',
    headers: HEADERS,
    body,
    signal,
    duplex: 'half',
  }
  return sandbox.fetch(new Request('http://localhost/v1/pets', init))
}

/** What the journal has, and how many records there are. */
async function seen(sandbox: ShippedSandbox): Promise<[statuses: number[], count: number]> {
  const statuses = sandbox.journal.exchanges.map(({ status }) => status)
  return [statuses, await sandbox.collection('pets').count()]
}

it('rejects a URL with a UsageError that says to give a Request', async () => {
  const fetch: (request: never) => Promise<Response> = createSandbox().fetch

  await expect(fetch('http://localhost/v1/pets' as never)).rejects.toMatchObject({
    name: 'UsageError',
    code: 'invalid_value',
    reason: 'the argument must be a Request',
  })
})

describe('a request that was aborted before it began', () => {
  it('rejects with the reason, creates nothing and is not recorded', async () => {
    const sandbox = createSandbox()
    const reason = new Error('too late')

    await expect(add(sandbox, AbortSignal.abort(reason))).rejects.toBe(reason)

    expect(await seen(sandbox)).toEqual([[], 50])
    const { state } = await sandbox.snapshot()
    expect(state.limits).toEqual([])
  })

  it('rejects outside the base path, too', async () => {
    const signal = AbortSignal.abort()
    const request = new Request('http://localhost/elsewhere', { signal })

    await expect(createSandbox().fetch(request)).rejects.toBe(signal.reason)
  })
})

describe('a request that is aborted', () => {
  it('before its body is read rejects with the reason and creates nothing', async () => {
    const sandbox = createSandbox()
    const client = new AbortController()
    const response = add(sandbox, client.signal)

    client.abort('changed my mind')

    await expect(response).rejects.toBe('changed my mind')
    await expect.poll(() => seen(sandbox)).toEqual([[0], 50])
    expect(sandbox.journal.exchanges[0]).toMatchObject({ refusal: { code: 'incomplete_body' } })
  })

  it('while its body is read rejects at once and creates nothing', async () => {
    const sandbox = createSandbox()
    const client = new AbortController()
    let isCancelled = false
    let read = (): void => undefined
    const isRead = new Promise<void>((resolve) => {
      read = resolve
    })
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(BODY.slice(0, 9))),
      // Called when the first part was read.
      pull: () => read(),
      cancel: () => {
        isCancelled = true
      },
    })
    const response = add(sandbox, client.signal, endless)
    await isRead

    client.abort('changed my mind')

    await expect(response).rejects.toBe('changed my mind')
    await expect.poll(() => seen(sandbox)).toEqual([[0], 50])
    expect(isCancelled).toBe(true)
  })

  it('while its response is delayed rejects at once, and the journal has the response', async () => {
    const sandbox = createSandbox({ latency: '1h' })
    await sandbox.ready
    const client = new AbortController()
    const response = add(sandbox, client.signal)
    await expect.poll(() => sandbox.collection('pets').count()).toBe(51)

    client.abort('changed my mind')

    await expect(response).rejects.toBe('changed my mind')
    expect(await seen(sandbox)).toEqual([[201], 51])
  })

  it('after its response keeps the response', async () => {
    const sandbox = createSandbox()
    const client = new AbortController()
    const response = await add(sandbox, client.signal)

    client.abort()

    expect(await response.json()).toMatchObject({ name: 'Rex' })
  })
})

it('a signal that many requests share keeps none of their listeners', async () => {
  const sandbox = createSandbox()
  const request = new Request('http://localhost/v1/pets', { headers: HEADERS })
  const responses = await Promise.all([1, 2, 3].map(() => sandbox.fetch(request)))

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  await expect.poll(() => getEventListeners(request.signal, 'abort')).toEqual([])
})
