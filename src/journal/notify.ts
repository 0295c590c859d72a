/**
 * Calls a listener. What it throws concerns neither the client nor other listeners, and is reported as an unhandled
 * rejection: pages, test runners and Node all show those. Node has no `reportError`, and a timer would need a clock that a
 * test may have stopped.
 */
export function notify<What>(listener: (what: What) => void, what: What): void {
  try {
    listener(what)
  } catch (error) {
    void Promise.reject(error)
  }
}
