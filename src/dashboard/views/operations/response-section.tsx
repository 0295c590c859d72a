import type { JSX } from 'preact'
import { formatDuration } from '../../../report/format.ts'
import { useLinks } from '../../page.ts'
import { StatusBadge } from '../../parts/badge.tsx'
import { Code } from '../../parts/code.tsx'
import { HeaderList } from '../../parts/header-list.tsx'
import type { SentResponse } from './send-request.ts'

interface ResponseProps {
  readonly response: SentResponse | undefined
  readonly problem: string | undefined
  readonly isSending: boolean
}

/** The response to the request, or why there is none. */
export function ResponseSection({ response, problem, isSending }: ResponseProps): JSX.Element {
  return (
    <section aria-label="Response" aria-live="polite">
      {isSending && <p class="quiet">Waiting for the response…</p>}
      {!isSending && problem !== undefined && (
        <p class="error-box" role="alert">
          No response: {problem}
        </p>
      )}
      {!isSending && response && <Response {...response} />}
    </section>
  )
}

function Response({
  status,
  headers,
  body,
  bytes,
  milliseconds,
  exchange,
}: SentResponse): JSX.Element {
  const linkTo = useLinks()

  return (
    <>
      <h3>Response</h3>
      <p class="buttons">
        <StatusBadge status={status} />
        <span>{formatDuration(milliseconds)}</span>
        <span>{bytes.toLocaleString('en')} bytes</span>
        {exchange !== undefined && (
          <a href={linkTo({ view: 'traffic', path: [String(exchange)] })}>
            Show exchange {exchange}
          </a>
        )}
      </p>
      <HeaderList headers={headers} />
      {body === undefined && <p class="hint">The body is not text.</p>}
      {body === '' && <p class="hint">No body</p>}
      {body ? <Code text={body} label="Response body" /> : null}
    </>
  )
}
