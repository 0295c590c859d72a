/** Requests that hang. Kept here, or the collector would take them with their signals, by which their clients give up. */
const hanging = new Set<Request>()

/** Rejects when the client gives up, and never resolves. */
export function never(request: Request): Promise<never> {
  const { signal } = request
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      hanging.delete(request)
      reject(signal.reason)
    }
    if (signal.aborted) return end()
    hanging.add(request)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** The first half of a body and then an error, as when a connection is closed too soon. */
export function halfOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = false
  return new ReadableStream({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError('The connection was closed before the body ended'))
      else controller.enqueue(bytes.subarray(0, bytes.length / 2))
      isSent = true
    },
  })
}
