import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatDuration, formatNumber } from '../../report/format.ts'
import { type ApiRequest, piecesOf, type SentResponse, sendRequest } from '../api-request.ts'
import { messageOf, saveFile, usePage } from '../page.ts'
import { Code, CopyButton, HeaderList } from '../parts/code.tsx'
import { Button, Form, StatusBadge, SubmitButton } from '../parts/elements.tsx'
import { Field, Select, useChoice } from '../parts/field.tsx'
import { TextEditor } from '../parts/text-editor.tsx'
import { type PlaceErrors, ValueEditor } from '../parts/value-editor.tsx'
import { isInBody, mistakesIn } from './body-mistakes.ts'
import { type OperationDetails, schemasOf } from './operation.ts'
import { contentOf, inMediaType, sendable, textOf, withValue } from './request-body.ts'
import {
  draftOf,
  emptyPathNames,
  inputOf,
  issuedTokens,
  keepDraft,
  type LoadedForm,
  type ParameterEntry,
  preferChoices,
  type RequestForm,
  toRequest,
} from './request-form.ts'
import { type Language, snippetOf } from './snippets.ts'

/** The form of an operation, what is typed in it, and the response to the last request. */
export interface OpenRequest extends SendingResult {
  readonly details: OperationDetails
  readonly loaded: LoadedForm
  readonly form: RequestForm
  readonly isChanged: boolean
  /** Without a form: the first values again. */
  readonly change: (form?: RequestForm) => void
  readonly isSending: boolean
  /** Sends a request that differs from that of the form. */
  readonly sendForm: (form: RequestForm) => void
  readonly stop: () => void
  /** How many responses came. */
  readonly count: number
}

/** The request of an operation. What is typed is kept while the page shows something else. */
export function useRequest(details: OperationDetails, loaded: LoadedForm): OpenRequest {
  const { site, client } = usePage()
  const place = `${client.name} ${details.operation}`
  const [typed, setTyped] = useState(() => draftOf(place))
  const form = typed ?? loaded.form
  const sending = useSending()

  return {
    ...sending,
    details,
    loaded,
    form,
    isChanged: typed !== undefined,
    change: (next) => {
      keepDraft(place, next)
      setTyped(next)
    },
    sendForm: (other) => void sending.send(toRequest(details, other, { site, ...loaded })),
  }
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
  const [count, setCount] = useState(0)
  const controller = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const send = async (request: ApiRequest): Promise<void> => {
    if (isSending) return
    const abort = new AbortController()
    controller.current = abort
    const { signal } = abort
    setSending(true)
    setResult({})
    try {
      const show = (response: SentResponse): void => setResult({ response })
      show(await sendRequest({ client, site }, request, signal, show))
    } catch (error) {
      setResult({ problem: signal.aborted ? 'You stopped waiting for it.' : messageOf(error) })
    } finally {
      setSending(false)
      setCount((before) => before + 1)
    }
  }

  return { ...result, send, stop: () => controller.current?.abort(), isSending, count }
}

/** A form for a request, the program that sends it, and the response to it. */
export function RequestPanel({ request }: { readonly request: OpenRequest }): JSX.Element {
  const { details, loaded, form, isChanged, change, isSending, sendForm, stop } = request
  const { site } = usePage()
  const [isRefused, setRefused] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  const empty = emptyPathNames(form)
  const found = useCheck(request, empty.length === 0)
  const errors = new Map([
    ...found,
    ...(isRefused ? empty.map((name) => [`path.${name}`, EMPTY_PATH] as const) : []),
  ])
  useEffect(() => {
    if (isRefused) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [isRefused])
  const submit = (): void => {
    setRefused(empty.length > 0)
    if (empty.length === 0) sendForm(form)
  }
  const sent = toRequest(details, form, { site, ...loaded })

  return (
    <div class="request-panel" ref={element}>
      <Form class="stack" aria-label="Request" onSubmit={submit}>
        <h3>Request</h3>
        {loaded.problem !== undefined && <p class="callout warning">{loaded.problem}</p>}
        <RequestFields request={request} errors={errors} />
        <p class="long">
          <code>
            {sent.method} {sent.url}
          </code>
        </p>
        <div class="buttons">
          <SubmitButton isBusy={isSending} isPrimary label="Send request" />
          {isSending && <Button onClick={stop}>Stop waiting</Button>}
          {isChanged && <Button onClick={() => change()}>Restore values</Button>}
        </div>
      </Form>
      <ResponseSection request={request} />
      <Snippet request={sent} />
    </div>
  )
}

const EMPTY_PATH = 'must not be empty: without it, the request is one for another path'

/** Milliseconds after the last change until a request is checked. */
const CHECK_DELAY = 300

/** What is wrong with the request, by the place. The sandbox checks it while somebody types. */
function useCheck(
  { details, form, loaded: { options } }: OpenRequest,
  isComplete: boolean,
): readonly (readonly [place: string, message: string])[] {
  const { client } = usePage()
  const [errors, setErrors] = useState<readonly (readonly [string, string])[]>([])
  useEffect(() => {
    let isPast = false
    const check = async (): Promise<void> => {
      const { path, query, headers } = inputOf(details, form)
      const content = form.body && options && sendable(form.body, options)
      const text = content?.parts
        ? piecesOf(content.parts)
            .map((one) => (typeof one === 'string' ? one : ''))
            .join('')
        : content?.text
      const found = await client.checkRequest(details.operation, {
        path: path || '/',
        query: query.map((pair) => pair.join('=')).join('&'),
        headers: headers.map((pair) => [...pair]),
        ...(content && { contentType: content.type }),
        ...(content && text !== undefined && { body: text }),
        ...(details.body && !content && { body: '' }),
      })
      if (isPast) return
      setErrors(found.map(({ location, message }) => [location, message]))
    }
    if (!isComplete) setErrors([])
    // A sandbox that does not answer is told elsewhere.
    const timer = isComplete && setTimeout(() => void check().catch(() => undefined), CHECK_DELAY)
    return () => {
      isPast = true
      if (timer) clearTimeout(timer)
    }
  }, [form, details, isComplete])

  return errors
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

interface FieldsProps {
  readonly request: OpenRequest
  readonly errors: PlaceErrors
}

/** The inputs for the parameters, the body, the key and the preference of a request. */
function RequestFields({ request, errors }: FieldsProps): JSX.Element {
  const { details, loaded, form, change } = request
  const { parameters, body } = form
  const { client } = usePage()
  const write = (entry: ParameterEntry, value: unknown): void => {
    const changed = parameters.map((one) => (one === entry ? { ...one, value } : one))
    change({ ...form, parameters: changed })
  }
  const hasCookie = parameters.some(({ name }) => name.toLowerCase() === 'cookie')
  // No place of the path says which parameter is wrong.
  const first = parameters.find((one) => one.in === 'path')
  const inPath = errors.get('path')
  const located =
    inPath !== undefined && first ? new Map([[`path.${first.name}`, inPath], ...errors]) : errors

  return (
    <>
      {PLACES.map(([place, label]) => {
        const entries = parameters.filter((one) => one.in === place)
        return (
          entries.length > 0 && (
            <fieldset key={place} class="parameters">
              <legend>{label}</legend>
              {entries.map((entry) => (
                <ValueEditor
                  key={entry.name}
                  label={entry.required ? `${entry.name} *` : entry.name}
                  schema={entry.schema}
                  schemas={schemasOf(details)}
                  value={entry.value}
                  isOptional={!entry.required}
                  place={`${place}.${entry.name}`}
                  errors={located}
                  onChange={(value) => write(entry, value)}
                />
              ))}
            </fieldset>
          )
        )
      })}
      {hasCookie && (
        <p class="hint">Pages cannot send cookies of their own. The curl command sends them.</p>
      )}
      {body && <Body request={request} body={body} errors={errors} />}
      <div class="row-form">
        {loaded.credentials.length > 0 && (
          <Field
            label="API key"
            value={form.key}
            suggestions={[...issuedTokens(client.name), ...loaded.keys]}
            hint="Leave it empty to send none."
            onInput={(key) => change({ ...form, key })}
          />
        )}
        <Select
          label="Prefer"
          value={form.prefer}
          choices={preferChoices(details)}
          onChange={(prefer) => change({ ...form, prefer })}
        />
      </div>
    </>
  )
}

type BodyProps = FieldsProps & { readonly body: NonNullable<RequestForm['body']> }

/** The body, as fields or as text, in one of the media types that the operation takes. */
function Body({ request, body, errors }: BodyProps): JSX.Element | null {
  const { form, loaded, change } = request
  const { options } = loaded
  if (!options) return null
  const content = contentOf(body, options)
  const set = (next: typeof body): void => change({ ...form, body: next })
  const canBeText = ['json', 'form', 'xml'].includes(content.kind)

  return (
    <fieldset class="body-fields">
      <legend>Body</legend>
      <div class="row-form">
        {options.contents.length > 1 && (
          <Select
            label="Content-Type"
            value={body.mediaType}
            choices={options.contents.map(({ mediaType }) => mediaType)}
            onChange={(mediaType) => set(inMediaType(body, mediaType, options))}
          />
        )}
        {canBeText && (
          <Button
            class="small"
            onClick={() => set({ ...withValue(body, options), isText: !body.isText })}
          >
            {body.isText ? 'Edit as fields' : 'Edit as text'}
          </Button>
        )}
        <ExampleChoice request={request} body={body} />
      </div>
      {body.isText ? (
        <BodyText body={body} errors={errors} request={request} />
      ) : (
        <ValueEditor
          key={body.mediaType}
          label={content.kind === 'binary' ? `Body (${body.mediaType})` : 'Fields of the body'}
          schema={content.kind === 'binary' ? { type: 'string', format: 'binary' } : content.schema}
          schemas={options.schemas}
          value={content.kind === 'binary' ? body.file : body.value}
          place="body"
          isNamed
          errors={errors}
          onChange={(value) =>
            set(
              value instanceof File
                ? { ...body, file: value }
                : { ...body, value, text: undefined },
            )
          }
        />
      )}
    </fieldset>
  )
}

function BodyText({ request, body, errors }: BodyProps): JSX.Element {
  const { form, loaded, change } = request
  const { options } = loaded
  const text = options ? textOf(body, options) : ''
  const isJson = options && contentOf(body, options).kind === 'json'
  const found = [...errors].map(([location, message]) => ({ location, message }))
  const others = found
    .filter(({ location }) => isInBody(location))
    .map(({ location, message }) => ({ message: `${location} ${message}`, from: 0, to: 0 }))

  return (
    <TextEditor
      label={`Body (${body.mediaType})`}
      value={text}
      mistakes={isJson ? mistakesIn(text, found) : others}
      onInput={(typed) => change({ ...form, body: { ...body, text: typed } })}
    />
  )
}

/** Takes an example of the document as the body. Nothing without examples. */
function ExampleChoice({ request, body }: Omit<BodyProps, 'errors'>): JSX.Element | null {
  const { form, loaded, change } = request
  const { examples = [] } = loaded.options ? contentOf(body, loaded.options) : {}
  const usable = examples.filter(({ value }) => value !== undefined)
  if (usable.length === 0) return null

  return (
    <Select
      label="Example"
      isLabelHidden
      value=""
      choices={[
        { value: '', label: 'Take an example…' },
        ...usable.map(({ name }, at) => ({
          value: String(at),
          label: name ?? `Example ${at + 1}`,
        })),
      ]}
      onChange={(at) => {
        const value = usable[Number(at)]?.value
        if (at !== '') change({ ...form, body: { ...body, value, text: undefined } })
      }}
    />
  )
}

/** The program that sends the request, in the language that was chosen last. */
function Snippet({ request }: { readonly request: ApiRequest }): JSX.Element {
  const names: readonly Language[] = ['curl', 'fetch', 'axios', 'Python', 'Go']
  const [language = 'curl', choose] = useChoice(names)
  const text = snippetOf(language, request)

  return (
    <section aria-label="Code">
      <h3>Code</h3>
      <div class="buttons">
        {names.map((name) => (
          <Button
            key={name}
            class="small"
            aria-pressed={name === language}
            onClick={() => choose(name)}
          >
            {name}
          </Button>
        ))}
        <CopyButton text={text} label={`Copy as ${language}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section class="code snippet" aria-label={`Code: ${language}`} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </section>
  )
}

/** The response to the request, or why there is none. It is scrolled into view. */
function ResponseSection({ request }: { readonly request: OpenRequest }): JSX.Element {
  const { response, problem, isSending, count } = request
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    const { top = 0 } = section.current?.getBoundingClientRect() ?? {}
    const isHidden = top < 0 || top > innerHeight / 2
    if (count > 0 && isHidden) section.current?.scrollIntoView({ block: 'start' })
  }, [count])

  return (
    <section aria-label="Response" aria-live="polite" ref={section}>
      {isSending && <p class="quiet">Waiting for the response…</p>}
      {problem !== undefined && (
        <p class="error-box" role="alert">
          No response: {problem}
        </p>
      )}
      {response && <Response {...response} />}
    </section>
  )
}

/** Longer bodies are shown in part. */
const SHOWN_LENGTH = 200_000

function Response(response: SentResponse): JSX.Element {
  const { status, headers, body, bytes, milliseconds, exchange, isPartial } = response
  const { linkTo } = usePage()
  const isCut = body !== undefined && body.length > SHOWN_LENGTH

  return (
    <>
      <h3>Response</h3>
      <p class="buttons">
        <StatusBadge status={status} />
        <span>{formatDuration(milliseconds)}</span>
        <span>{formatNumber(bytes)} bytes</span>
        {exchange !== undefined && (
          <a href={linkTo({ view: 'traffic', path: [String(exchange)] })}>
            Show exchange {exchange}
          </a>
        )}
      </p>
      <HeaderList headers={headers} />
      {body === undefined && <p class="hint">The body is not text.</p>}
      {body === '' && <p class="hint">No body</p>}
      {body ? (
        <Code text={isCut ? body.slice(0, SHOWN_LENGTH) : body} label="Response body" />
      ) : null}
      {(isPartial || isCut) && (
        <p class="hint">
          Only the beginning is shown.{' '}
          {body !== undefined && (
            <Button class="small" onClick={() => saveFile('response.txt', 'text/plain', body)}>
              Save what came
            </Button>
          )}
        </p>
      )}
    </>
  )
}
