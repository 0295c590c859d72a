/**
 * Calls a listener. An error of the listener must not affect the client or other listeners. It is reported as an unhandled
 * rejection, which pages, test runners and Node all show: Node has no `reportError`, and a timer would not fire while a test
 * uses fake timers.
 */
export function notify<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    void Promise.reject(error)
  }
}
