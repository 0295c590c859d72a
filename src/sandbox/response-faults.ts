/** Requests that hang: nothing else keeps one and the signal of its own, by which alone its client can give up. */
const hanging = new Set<Request>()

/** Waits until the client gives up. */
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

/** The first half of a body, and then an error, as of a connection that is closed too soon. */
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
