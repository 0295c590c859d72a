import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { formatDuration } from '../../report/format.ts'
import { type SentResponse, sendRequest, toCurl } from '../api-request.ts'
import { messageOf, useLoaded, usePage } from '../page.ts'
import { Code, CopyButton, HeaderList } from '../parts/code.tsx'
import { Button, Form, Pending, StatusBadge, SubmitButton } from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'
import {
  type LoadedForm,
  loadForm,
  type OperationDetails,
  type ParameterEntry,
  preferChoices,
  type RequestForm,
  toRequest,
} from './request-form.ts'

interface RequestPanelProps {
  readonly details: OperationDetails
}

/** A form for a request, and the response to it. */
export function RequestPanel({ details }: RequestPanelProps): JSX.Element {
  const { client } = usePage()
  const { value, error } = useLoaded(() => loadForm(client, details), [details])
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
      <Form class="stack" aria-label="Request" onSubmit={() => send(request)}>
        <h3>Request</h3>
        {loaded.problem !== undefined && <p class="callout warning">{loaded.problem}</p>}
        <RequestFields details={details} loaded={loaded} form={form} onChange={setTyped} />
        <p class="long">
          <code>
            {request.method} {request.url}
          </code>
        </p>
        <div class="buttons">
          <SubmitButton isBusy={isSending} isPrimary label="Send request" />
          {isSending && <Button onClick={stop}>Stop waiting</Button>}
          <CopyButton text={toCurl(request)} label="Copy as curl" />
          {typed && <Button onClick={() => setTyped(undefined)}>Restore values</Button>}
        </div>
      </Form>
      <ResponseSection response={response} problem={problem} isSending={isSending} />
    </>
  )
}

interface SendingResult {
  readonly response?: SentResponse
  /** Why there is no response. */
  readonly problem?: string
}

function useSending() {
  const { client, site } = usePage()
  const [result, setResult] = useState<SendingResult>({})
  const [isSending, setSending] = useState(false)
  const controller = useRef<AbortController | undefined>(undefined)
  const send = async (request: ReturnType<typeof toRequest>): Promise<void> => {
    if (isSending) return
    controller.current = new AbortController()
    setSending(true)
    try {
      const { signal } = controller.current
      setResult({ response: await sendRequest({ client, site }, request, signal) })
    } catch (error) {
      setResult({ problem: messageOf(error) })
    } finally {
      setSending(false)
    }
  }

  return { ...result, send, stop: () => controller.current?.abort(), isSending }
}

interface RequestFieldsProps {
  readonly details: OperationDetails
  readonly loaded: LoadedForm
  readonly form: RequestForm
  readonly onChange: (form: RequestForm) => void
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

/** The inputs for the parameters, the body, the key and the preference of a request. */
function RequestFields({ details, loaded, form, onChange }: RequestFieldsProps): JSX.Element {
  const { parameters } = form
  const write = (entry: ParameterEntry, text: string): void => {
    const changed = parameters.map((one) => (one === entry ? { ...one, text } : one))
    onChange({ ...form, parameters: changed })
  }
  const hasCookie = parameters.some(({ name }) => name.toLowerCase() === 'cookie')

  return (
    <>
      {PLACES.map(([place, label]) => {
        const entries = parameters.filter((one) => one.in === place)
        return (
          entries.length > 0 && (
            <fieldset key={place} class="parameters">
              <legend>{label}</legend>
              {entries.map((entry, at) => (
                <Field
                  key={at}
                  label={entry.required ? `${entry.name} *` : entry.name}
                  value={entry.text}
                  hint={entry.hint}
                  suggestions={entry.choices}
                  onInput={(text) => write(entry, text)}
                />
              ))}
            </fieldset>
          )
        )
      })}
      {hasCookie && (
        <p class="hint">Pages cannot send cookies of their own. The curl command sends them.</p>
      )}
      {details.body && <Body {...{ details, form, onChange }} />}
      <div class="row-form">
        {loaded.credentials.length > 0 && (
          <Field
            label="API key"
            value={form.key}
            suggestions={loaded.keys}
            hint="Leave it empty to send none."
            onInput={(key) => onChange({ ...form, key })}
          />
        )}
        <Select
          label="Prefer"
          value={form.prefer}
          choices={preferChoices(details)}
          onChange={(prefer) => onChange({ ...form, prefer })}
        />
      </div>
    </>
  )
}

type BodyProps = Pick<RequestFieldsProps, 'details' | 'form' | 'onChange'>

function Body({ details, form, onChange }: BodyProps): JSX.Element {
  const { contentTypes = [] } = details.body ?? {}
  const rows = Math.min(20, Math.max(4, form.body.split('\n').length + 1))

  return (
    <>
      {contentTypes.length > 1 && (
        <Select
          label="Content-Type"
          value={form.contentType}
          choices={contentTypes}
          onChange={(contentType) => onChange({ ...form, contentType })}
        />
      )}
      <Field
        label={`Body (${form.contentType})`}
        rows={rows}
        value={form.body}
        onInput={(body) => onChange({ ...form, body })}
      />
    </>
  )
}

interface ResponseProps {
  readonly response: SentResponse | undefined
  readonly problem: string | undefined
  readonly isSending: boolean
}

/** The response to the request, or why there is none. */
function ResponseSection({ response, problem, isSending }: ResponseProps): JSX.Element {
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
  const { linkTo } = usePage()

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
