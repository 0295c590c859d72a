import { expect, it, onTestFinished } from 'vitest'
import { connectByWorker } from '../testing/connections.ts'

const KEY = { Authorization: 'Bearer sk_sandbox_free' }

it.each(['/horses', '', '/pets/1/photos'])(
  'in a Service Worker, the handlers leave "%s" below the base address unhandled, and a strict worker fails it',
  async (path) => {
    const { base, fetch, sandbox, close } = await connectByWorker()
    onTestFinished(() => close?.())
    const send = (target: string) => fetch(new Request(base + target, { headers: KEY }))

    await expect(send(path)).rejects.toThrow('The request of the page failed')
    const known = await send('/pets')

    expect(known.status).toBe(200)
    expect(sandbox.journal.exchanges).toMatchObject([{ target: '/pets', status: 200 }])
  },
  // The first test with a page waits for the page to load.
  30_000,
)
