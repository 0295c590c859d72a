import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { usePage } from '../../page.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Pending } from '../../parts/empty.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { toCurl } from '../traffic/curl.ts'
import { type LoadedForm, loadForm } from './load-form.ts'
import type { OperationDetails } from './operation-types.ts'
import { RequestFields } from './request-fields.tsx'
import { type RequestForm, toRequest } from './request-form.ts'
import { ResponseSection } from './response-section.tsx'
import { type SentResponse, sendRequest } from './send-request.ts'

interface RequestPanelProps {
  readonly details: OperationDetails
}

/** A form for a request, and the response to it. */
export function RequestPanel({ details }: RequestPanelProps): JSX.Element {
  const { client } = usePage()
  const { value, error } = useLoaded(() => loadForm(client, details), [client, details])
  if (!value) return <Pending error={error} />

  return <RequestSection details={details} loaded={value} />
}

function RequestSection(props: RequestPanelProps & { readonly loaded: LoadedForm }): JSX.Element {
  const { details, loaded } = props
  const { site } = usePage()
  const [typed, setTyped] = useState<RequestForm | undefined>(undefined)
  const form = typed ?? loaded.form
  const { send, stop, isSending, response, problem } = useSending()
  const request = toRequest(details, form, { site, credentials: loaded.credentials })

  return (
    <>
      <form
        class="stack"
        aria-label="Request"
        onSubmit={(event) => {
          event.preventDefault()
          void send(request)
        }}
      >
        <h3>Request</h3>
        {loaded.problem !== undefined && <p class="callout warning">{loaded.problem}</p>}
        <RequestFields details={details} loaded={loaded} form={form} onChange={setTyped} />
        <p class="long">
          <code>
            {request.method} {request.url}
          </code>
        </p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isSending}>
            Send request
          </button>
          {isSending && (
            <button type="button" onClick={stop}>
              Stop waiting
            </button>
          )}
          <CopyButton text={toCurl(request)} label="Copy as curl" />
          {typed && (
            <button type="button" onClick={() => setTyped(undefined)}>
              Restore values
            </button>
          )}
        </div>
      </form>
      <ResponseSection response={response} problem={problem} isSending={isSending} />
    </>
  )
}

interface Sending {
  readonly send: (request: ReturnType<typeof toRequest>) => Promise<void>
  readonly stop: () => void
  readonly isSending: boolean
  readonly response?: SentResponse
  /** Why there is no response. */
  readonly problem?: string
}

function useSending(): Sending {
  const { client, site } = usePage()
  const [result, setResult] = useState<Pick<Sending, 'problem' | 'response'>>({})
  const [isSending, setSending] = useState(false)
  const controller = useRef<AbortController | undefined>(undefined)
  const send: Sending['send'] = async (request) => {
    if (isSending) return
    controller.current = new AbortController()
    setSending(true)
    try {
      const { signal } = controller.current
      setResult({ response: await sendRequest({ client, site }, request, signal) })
    } catch (error) {
      setResult({ problem: error instanceof Error ? error.message : String(error) })
    } finally {
      setSending(false)
    }
  }

  return { ...result, send, stop: () => controller.current?.abort(), isSending }
}
