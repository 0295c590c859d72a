/** The first half of a body and then an error, as when a connection is closed too soon. */
export function firstHalf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = false
  return new ReadableStream({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError('The connection was closed before the body ended'))
      else controller.enqueue(bytes.subarray(0, bytes.length / 2))
      isSent = true
    },
  })
}

/**
 * Requests that get no answer. Without this reference the garbage collector would take them, and with them the signals by
 * which their clients abort them.
 */
const unanswered = new Set<Request>()

/** Never resolves. Rejects when the client aborts the request. */
export function neverAnswer(request: Request): Promise<never> {
  const { signal } = request
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      unanswered.delete(request)
      reject(signal.reason)
    }
    if (signal.aborted) return end()
    unanswered.add(request)
    signal.addEventListener('abort', end, { once: true })
  })
}
