import type { JSX } from 'preact'
import { useSandbox } from '../page.ts'

/** Says that the sandbox does not answer. */
export function Banner(): JSX.Element {
  const { connection, problem } = useSandbox()

  return (
    <div class="banner-place" role="status" aria-live="polite">
      {connection === 'lost' && (
        <p class="banner">
          <b>The sandbox does not answer. Trying again…</b> {problem}
        </p>
      )}
    </div>
  )
}
