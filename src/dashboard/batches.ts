/** Milliseconds in which the pieces of a stream are read together. */
const INTERVAL = 50

/**
 * The response of a stream of events, which is read at most every so often. A browser gives what has arrived since in one piece, so
 * that a thousand events per second do not wake the page a thousand times.
 */
export function inBatches(response: Response): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let readAt = -INTERVAL
  const batches = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const wait = readAt + INTERVAL - performance.now()
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
        const { done, value } = await reader.read()
        readAt = performance.now()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

  return new Response(batches, response)
}
