import { afterEach, expect, test, vi } from 'vitest'
import { inBatches, waitAfter, waitForKeys } from './batches.ts'

afterEach(() => void vi.useRealTimers())

/** A response with a body of endless pieces, and how often it was read. */
function endless() {
  const seen = { reads: 0, isCanceled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        seen.reads += 1
        controller.enqueue(new TextEncoder().encode(`piece ${seen.reads}`))
      },
      cancel: () => {
        seen.isCanceled = true
      },
    },
    { highWaterMark: 0 },
  )
  const response = inBatches(new Response(body, { status: 203, headers: { 'X-Kept': 'yes' } }))
  const reader = response.body?.getReader()
  const read = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value)

  return { response, seen, read, cancel: () => reader?.cancel() }
}

test('a stream is read at once, and then every 50 ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const { seen, read } = endless()

  expect(await read()).toBe('piece 1')
  const next = read()
  await vi.advanceTimersByTimeAsync(49)
  expect(seen.reads).toBe(1)
  await vi.advanceTimersByTimeAsync(1)

  expect(await next).toBe('piece 2')
})

test('a large piece is passed on in slices, each in a task of its own', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const text = '0123456789'.repeat(4000)
  const reader = inBatches(new Response(text)).body?.getReader()
  const decoder = new TextDecoder()
  let read = decoder.decode((await reader?.read())?.value)
  expect(read.length).toBeLessThan(text.length / 2)

  const next = reader?.read()
  await Promise.race([next, Promise.resolve()])
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(0)
  read += decoder.decode((await next)?.value)
  await vi.runAllTimersAsync()
  vi.useRealTimers()
  for (let one = await reader?.read(); one?.value; one = await reader?.read()) {
    read += decoder.decode(one.value)
  }

  expect(read).toBe(text)
})

test('the status and the headers are those of the stream, and who cancels it cancels the stream', async () => {
  const { response, seen, cancel } = endless()

  await cancel()

  expect(response.status).toBe(203)
  expect(response.headers.get('X-Kept')).toBe('yes')
  expect(seen.isCanceled).toBe(true)
})

test('a stream that ends or breaks does so for its reader', async () => {
  const error = new Error('The connection is lost')
  const broken = new ReadableStream({ start: (controller) => controller.error(error) })

  expect(await inBatches(new Response('all')).text()).toBe('all')
  await expect(inBatches(new Response(broken)).text()).rejects.toThrow(error.message)
})

test('a page that is drawn slowly waits for somebody who types, for two seconds at most', () => {
  const slow = { at: 900, took: 100 }

  expect(waitForKeys(slow, 1000, 1100)).toBe(200)
  expect(waitForKeys(slow, 2800, 2850)).toBe(50)
  expect(waitForKeys(slow, 2899, 2900)).toBe(0)
  expect(waitForKeys({ at: 900, took: 2 }, 1000, 1020)).toBe(0)
  expect(waitForKeys(slow, 0, 1000)).toBeLessThan(0)
})

test('the page is drawn at most every 80 ms and for at most a fortieth of the time, but at least every half second', () => {
  expect(waitAfter({ at: 1000, took: 1 }, 1010)).toBe(80)
  expect(waitAfter({ at: 1000, took: 10 }, 1010)).toBe(390)
  expect(waitAfter({ at: 1000, took: 50 }, 9000)).toBe(80)
  expect(waitAfter({ at: 1000, took: 400 }, 1010)).toBe(490)
})
