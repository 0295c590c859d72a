import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Exchange } from '../../journal/exchange.ts'
import { formatDuration } from '../../report/format.ts'
import {
  apiAddress,
  hasCredential,
  isBodyMissing,
  type KnownKeys,
  loadKeys,
  replayOf,
  type SentResponse,
  sendRequest,
} from '../api-request.ts'
import { messageOf, useAction, useFormAction, useLoaded, usePage } from '../page.ts'
import { Code } from '../parts/code.tsx'
import { Button, ErrorText, Form, Pending, StatusBadge, SubmitButton } from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'
import { type FixDraft, type WrongValue, writeValue, wrongValues } from './fix-request.ts'
import type { OperationDetails } from './operation.ts'

interface FixProps {
  readonly exchange: Exchange
}

/** A form that corrects a refused request and sends it again. Both responses are side by side. */
export function FixPanel({ exchange }: FixProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <p class="buttons">
        <Button class="primary" onClick={() => setOpen(true)}>
          Fix and resend…
        </Button>
      </p>
    )
  }
  return <LoadedFix exchange={exchange} />
}

function LoadedFix({ exchange }: FixProps): JSX.Element {
  const { client } = usePage()
  const { operation } = exchange
  const { value, error } = useLoaded(async () => {
    const isKnown = operation !== undefined
    const [keys, details, sample] = await Promise.all([
      loadKeys(client),
      isKnown ? client.operation(operation, { diagnostics: false }) : undefined,
      isKnown && isBodyMissing(exchange) ? client.sampleRequest(operation) : undefined,
    ])
    return {
      ...keys,
      details,
      body: sample?.body ?? exchange.request.body ?? '',
    }
  }, [exchange.id])
  if (!value) return <Pending error={error} />

  return <FixForm exchange={exchange} {...value} />
}

interface FixFormProps extends FixProps, Pick<KnownKeys, 'usable' | 'newKey'> {
  readonly details: OperationDetails | undefined
  /** That of the request, or a valid one where the journal does not have it. */
  readonly body: string
}

function FixForm({ exchange, usable, newKey, details, body }: FixFormProps): JSX.Element {
  const page = usePage()
  const [draft, setDraft] = useState(() => toDraft(exchange, { usable, newKey, body }))
  const [response, setResponse] = useState<SentResponse | undefined>(undefined)
  const { run, isBusy, error } = useFormAction()
  const wrong = wrongValues(exchange, details, draft)
  const message = exchange.refusal?.message ?? ''
  // What has a field of its own is marked there.
  const markOf = (location: string): Marked =>
    wrong.some((one) => one.location === location)
      ? { class: 'wrong-value', hint: message }
      : UNMARKED
  const hasBody = details?.body !== undefined || body !== ''
  const send = (): unknown =>
    run(
      async () => {
        const { method, target, key } = draft
        const request = toRequest(draft, exchange, details)
        const replay = replayOf({ method, target, request }, apiAddress(page), key.trim())
        const sent = await sendRequest(page, replay, AbortSignal.timeout(MAX_WAIT))
        setResponse(sent)
        return sent
      },
      ({ status }) => `Sent again. The status is ${status}.`,
    )

  return (
    <Form class="card stack fix" aria-label="Fix and resend" noValidate onSubmit={send}>
      <h3>Fix and resend</h3>
      {wrong.filter(hasNoField).map((value) => (
        <WrongField
          key={value.location}
          value={value}
          onInput={(text) => setDraft(writeValue(draft, value.location, text, details))}
        />
      ))}
      <div class={markOf('address').class}>
        <Field
          label={`${draft.method} address`}
          value={draft.target}
          hint={markOf('address').hint}
          onInput={(target) => setDraft({ ...draft, target })}
        />
      </div>
      {hasBody && (
        <BodyField
          {...{ exchange, ...markOf('body') }}
          value={draft.body}
          onInput={(body) => setDraft({ ...draft, body })}
        />
      )}
      <div class={markOf('key').class}>
        <KeyField
          {...{ exchange, usable, newKey }}
          value={draft.key}
          onInput={(key) => setDraft({ ...draft, key })}
        />
      </div>
      {error !== undefined && <ErrorText class="error long">{messageOf(error)}</ErrorText>}
      <div class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label="Send request" />
        {exchange.status === 429 && <WaitButton exchange={exchange} account={draft.key} />}
      </div>
      {response && <Comparison exchange={exchange} response={response} />}
    </Form>
  )
}

/** How a field with the wrong value is marked, and what was wrong with it. */
interface Marked {
  readonly class: string
  readonly hint: string
}

const UNMARKED: Marked = { class: '', hint: '' }

interface BodyFieldProps extends FixProps, Marked {
  readonly value: string
  readonly onInput: (body: string) => void
}

function BodyField({ exchange, value, hint, onInput, ...mark }: BodyFieldProps): JSX.Element {
  return (
    <div class={mark.class}>
      {isBodyMissing(exchange) && (
        <p class="callout warning">
          The journal did not keep the body, because it is longer than 16 KiB.
          {value !== '' && ' This is another one.'}
        </p>
      )}
      <Field
        label="Body"
        rows={Math.min(16, Math.max(4, value.split('\n').length + 1))}
        {...{ value, hint, onInput }}
      />
    </div>
  )
}

/** Whether a wrong value is one that the form has no field for. */
function hasNoField({ location }: WrongValue): boolean {
  return !['address', 'body', 'key'].includes(location)
}

/** How long a response may take, in milliseconds. */
const MAX_WAIT = 60_000

interface WrongFieldProps {
  readonly value: WrongValue
  readonly onInput: (text: string) => void
}

/** A wrong value, marked, with what is allowed beside it. */
function WrongField({ value, onInput }: WrongFieldProps): JSX.Element {
  const { location, text, choices, allowed } = value
  const hint = allowed === '' ? '' : `Allowed: ${allowed}`

  return (
    <div class="wrong-value">
      {choices.length > 0 ? (
        <Select label={location} value={text} choices={choices} hint={hint} onChange={onInput} />
      ) : (
        <Field label={location} value={text} hint={hint} onInput={onInput} />
      )}
    </div>
  )
}

type KeyFieldProps = Pick<FixFormProps, 'exchange' | 'usable' | 'newKey'> & {
  readonly value: string
  readonly onInput: (key: string) => void
}

function KeyField({ exchange, usable, newKey, value, onInput }: KeyFieldProps): JSX.Element {
  const had = exchange.key ?? (hasCredential(exchange) ? 'a credential' : 'no key')
  const none = newKey === '' ? ' No key works yet: add one in Keys.' : ''

  return (
    <Field
      label="API key"
      value={value}
      suggestions={usable}
      hint={`The request had ${had}. Leave it empty to send none.${none}`}
      onInput={onInput}
    />
  )
}

/** Moves the clock to where the request is served again. */
function WaitButton({ exchange, account }: FixProps & { readonly account: string }): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const isBan = exchange.refusal?.code === 'api_key_banned'
  const move = (): Promise<void> =>
    isBan ? client.clock.advanceToBanEnd(account) : client.clock.advanceToReset(account)

  return (
    <Button
      disabled={isBusy || account === ''}
      onClick={() => run(move, 'The clock is moved to where the key is served again.')}
    >
      {isBan ? 'Move the clock to the end of the ban' : 'Move the clock to the reset'}
    </Button>
  )
}

interface ComparisonProps extends FixProps {
  readonly response: SentResponse
}

/** The response that refused the request, and the response to the corrected one. */
function Comparison({ exchange, response }: ComparisonProps): JSX.Element {
  const { linkTo } = usePage()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [response])
  const before = exchange.response.body
  const { status, body, milliseconds, exchange: id } = response

  return (
    <div class="comparison" ref={place}>
      <section aria-label="Response before">
        <h4>
          Before <StatusBadge status={exchange.status} />
        </h4>
        {before ? <Code text={before} label="Body before" /> : <p class="hint">No body</p>}
      </section>
      <section aria-label="Response now">
        <h4>
          Now <StatusBadge status={status} />{' '}
          <span class="quiet">{formatDuration(milliseconds)}</span>
        </h4>
        {body ? <Code text={body} label="Body now" /> : <p class="hint">No body</p>}
        {id !== undefined && (
          <a href={linkTo({ view: 'traffic', path: [String(id)] })}>Show exchange {id}</a>
        )}
      </section>
    </div>
  )
}

/**
 * The request as it was sent. A key that the journal has masked is the one with the same end, else the one for a new request.
 */
function toDraft(
  exchange: Exchange,
  { usable, newKey, body }: Pick<FixFormProps, 'usable' | 'newKey' | 'body'>,
): FixDraft {
  const { method, target, request, key = '', caller } = exchange
  const end = key.replace(/^…/, '')
  const same = end === '' ? undefined : usable.find((one) => one.endsWith(end))
  const needsKey = hasCredential(exchange) || caller !== 'valid'

  return {
    method,
    target,
    headers: Object.fromEntries(
      request.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
    body: readable(body),
    key: needsKey ? (same ?? newKey) : '',
  }
}

/** JSON in lines. Numbers that JavaScript would alter stay as they are. */
function readable(text: string): string {
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The recorded request with what the draft corrects. A body that had no media type gets the first one of the document. */
function toRequest(
  { headers, body }: FixDraft,
  { request }: Exchange,
  details: OperationDetails | undefined,
): Exchange['request'] {
  const names = new Map(request.headers.map(([name]) => [name.toLowerCase(), name]))
  const [mediaType] = details?.body?.contentTypes ?? []
  const isTyped = body === '' || mediaType === undefined
  const all = isTyped ? headers : { 'content-type': mediaType, ...headers }
  const { body: _, ...rest } = request

  return {
    ...rest,
    headers: Object.entries(all)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [names.get(name) ?? name, value] as const),
    ...(body !== '' && { body }),
  }
}
