import { useRef, useState } from 'preact/hooks'
import { usePage } from '../page.ts'

/** Runs a change, and says what came of it. Resolves with whether it succeeded. */
export type RunAction = (change: () => Promise<unknown>, done?: string) => Promise<boolean>

/**
 * Runs one change at a time. Its result is shown as a message: `done`, or the message of the error. A form that shows the error
 * itself gives `onError`.
 */
export function useAction(onError?: (error: unknown) => void): {
  readonly run: RunAction
  readonly isBusy: boolean
} {
  const { toasts, store } = usePage()
  const [isBusy, setBusy] = useState(false)
  const running = useRef(false)

  return {
    isBusy,
    run: async (change, done) => {
      if (running.current) return false
      running.current = true
      setBusy(true)
      try {
        await change()
        await store.refresh()
        // Last, so that who reads the message sees the new state, and what follows the change follows at once.
        if (done !== undefined) toasts.done(done)
        return true
      } catch (error) {
        if (onError) onError(error)
        else toasts.failed(error)
        return false
      } finally {
        running.current = false
        setBusy(false)
      }
    },
  }
}
