import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ClientJournal } from '../../client/sandbox-client.ts'
import type { Exchange, GivenMessage, Note, SentMessage } from '../../journal/exchange.ts'
import { formatDuration, formatNumber } from '../../report/format.ts'
import { RULE_OF_NOTE, RULES, ruleOfSignIn } from '../../report/rules.ts'
import {
  apiAddress,
  hasCredential,
  isBodyMissing,
  KEY_PLACEHOLDER,
  replayOf,
  sendAgain,
  toCurl,
} from '../api-request.ts'
import { useAction, useLoaded, usePage } from '../page.ts'
import { Code, CopyButton, HeaderList, startOf, WholeText } from '../parts/code.tsx'
import {
  Button,
  Dialog,
  Empty,
  Facts,
  Form,
  Panel,
  Pending,
  StatusBadge,
  SubmitButton,
} from '../parts/elements.tsx'
import { Field } from '../parts/field.tsx'
import { readableTarget } from '../parts/table.tsx'
import { BreakButton, isBreakable } from './break-dialog.tsx'
import { FixPanel } from './fix-panel.tsx'

/** One exchange with its request and response. */
export function ExchangePanel({ id }: { readonly id: number }): JSX.Element {
  const { client, route, linkTo } = usePage()
  const { value, error } = useLoaded(() => findExchange(client.journal, id), [id])

  return (
    <Panel label={`Exchange ${id}`} closeHref={linkTo({ view: 'traffic', query: route.query })}>
      {value === undefined && <Pending error={error} />}
      {value === null && (
        <Empty title={`The journal has no exchange ${id}`}>
          <p>It was dropped for later ones, or it was made before a reset.</p>
        </Empty>
      )}
      {value && <Content exchange={value} />}
    </Panel>
  )
}

interface ExchangeProps {
  readonly exchange: Exchange
}

/** Longer addresses are folded. */
const MAX_TARGET = 200

function Content({ exchange }: ExchangeProps): JSX.Element {
  const { target } = exchange
  return (
    <>
      <h2 class="exchange-title">
        <StatusBadge status={exchange.status} />{' '}
        <code>
          {exchange.method} {readableTarget(startOf(target, MAX_TARGET))}
        </code>
      </h2>
      <ReplayButtons exchange={exchange} />
      <ExchangeFacts exchange={exchange} />
      <ProblemSection exchange={exchange} />
      {exchange.refusal && exchange.forced === undefined && <FixPanel exchange={exchange} />}
      {exchange.notes.length > 0 && <NotesSection notes={exchange.notes} />}
      {exchange.quota && <QuotaSection quota={exchange.quota} />}
      <MessageSection title="Request" message={exchange.request} />
      <MessageSection title="Response" message={exchange.response} />
    </>
  )
}

function ExchangeFacts({ exchange }: ExchangeProps): JSX.Element {
  const { linkTo } = usePage()
  const { operation, key, plan, caller, time, milliseconds, id, source, sourceReason } = exchange
  const facts = {
    Number: String(id),
    Time: new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC'),
    Took: formatDuration(milliseconds),
    Operation:
      operation === undefined ? (
        'none matches'
      ) : (
        <a href={linkTo({ view: 'traffic', query: { operation } })}>{operation}</a>
      ),
    Key: key === undefined ? caller : `${key} (${caller})`,
    Plan: plan,
    Source: sourceReason === undefined ? source : `${source}: ${sourceReason}`,
  }

  return <Facts facts={facts} />
}

async function findExchange(journal: ClientJournal, id: number): Promise<Exchange | null> {
  if (!Number.isSafeInteger(id) || id < 1) return null
  return (await journal.get(id)) ?? null
}

/** Why the request was refused or what was forced on it, with the clause. */
function ProblemSection({ exchange }: ExchangeProps): JSX.Element | null {
  const { status, reason, refusal, forced } = exchange
  if (!refusal && reason === undefined && forced === undefined) return null
  const clause = CLAUSES[status]

  return (
    <section class="callout warning" aria-label="Reason">
      <h3>{forced === undefined ? 'Why it was refused' : `Forced: ${forced}`}</h3>
      {refusal && (
        <p>
          {refusal.message} <code>{refusal.code}</code>
        </p>
      )}
      {refusal?.errors && (
        <ul>
          {refusal.errors.map(({ location, keyword }) => (
            <li key={`${location} ${keyword}`}>
              <code>{location}</code>
              {keyword !== undefined && ` breaks "${keyword}"`}
            </li>
          ))}
        </ul>
      )}
      {reason !== undefined && (
        <p>
          <span class="quiet">X-Sandbox-Reason:</span> <code>{reason}</code>
        </p>
      )}
      {clause !== undefined && <p class="quiet">{clause}</p>}
    </section>
  )
}

/** What the service accepted although a client should not send it. */
function NotesSection({ notes }: Pick<Exchange, 'notes'>): JSX.Element {
  return (
    <section class="callout" aria-label="Notes">
      <h3>Notes</h3>
      <ul>
        {notes.map((note) => (
          <li key={`${note.kind} ${note.place}`}>
            <b>{note.kind}</b> <code>{note.place}</code>
            <br />
            <span class="quiet">{adviceOnNote(note)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The quota that the request used. */
function QuotaSection({ quota }: Required<Pick<Exchange, 'quota'>>): JSX.Element {
  const { before, after } = quota

  return (
    <section aria-label="Quota">
      <h3>Quota</h3>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Requests left</th>
            <th scope="col" class="number">
              Before
            </th>
            <th scope="col" class="number">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {(['minute', 'day'] as const).map((window) => (
            <tr key={window}>
              <th scope="row">{window === 'minute' ? 'in the minute' : 'on the day'}</th>
              <td class="number">{formatNumber(before[window])}</td>
              <td class="number">{formatNumber(after[window])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface MessageProps {
  readonly title: 'Request' | 'Response'
  readonly message: SentMessage | GivenMessage
}

/** The headers and the body of a request or response. */
function MessageSection({ title, message }: MessageProps): JSX.Element {
  const { headers, body, bodySize } = message
  const encoding = 'encoding' in message ? message.encoding : undefined

  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {'url' in message && (
        <div class="long url">
          {startOf(message.url, MAX_TARGET)}
          <WholeText text={message.url} most={MAX_TARGET} label="URL" />
        </div>
      )}
      <HeaderList headers={headers} isOpen={title === 'Request'} />
      {bodySize !== undefined && (
        <p class="hint">
          The body has {formatNumber(bodySize)} bytes. The journal keeps up to 16 KiB, so it was not
          kept.
        </p>
      )}
      {encoding && <p class="hint">The body is not text. These are its bytes in {encoding}.</p>}
      {body ? (
        <Code text={body} label={`${title} body`} />
      ) : (
        bodySize === undefined && <p class="hint">No body</p>
      )}
    </section>
  )
}

/** Copies the request as a command, or sends it again. */
function ReplayButtons({ exchange }: ExchangeProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { operation, method, target } = exchange
  const key = hasCredential(exchange) ? KEY_PLACEHOLDER : ''
  const command = toCurl(replayOf(exchange, apiAddress(usePage()), key))

  return (
    <p class="buttons">
      <CopyButton text={command} label="Copy as curl" />
      <Button onClick={() => setOpen(true)}>Send again…</Button>
      {isBreakable(exchange) && (
        <BreakButton {...{ method, target, ...(operation !== undefined && { operation }) }} />
      )}
      {isOpen && <SendDialog exchange={exchange} onClose={() => setOpen(false)} />}
    </p>
  )
}

function SendDialog({ exchange, onClose }: ExchangeProps & { onClose: () => void }): JSX.Element {
  const page = usePage()
  const { client } = page
  const keys = useLoaded(() => client.keys()).value ?? []
  const [key, setKey] = useState('')
  const { run, isBusy } = useAction()
  const isIncomplete = isBodyMissing(exchange)
  const send = (): void => {
    const replay = replayOf(exchange, apiAddress(page), key.trim())
    run(
      () => sendAgain(replay, page.site),
      (status) => `Sent ${replay.method} again. The status is ${status}.`,
      onClose,
    )
  }

  return (
    <Dialog title={`Send ${exchange.method} again`} onClose={onClose}>
      <Form onSubmit={send}>
        <p class="long">
          <code>{startOf(exchange.target, MAX_TARGET)}</code>
        </p>
        {isIncomplete && (
          <p class="callout warning">
            The journal did not keep the body, because it is longer than 16 KiB. The request is sent
            without it.
          </p>
        )}
        <Field
          label="API key"
          value={key}
          onInput={setKey}
          suggestions={keys.map((one) => one.key)}
          hint={
            hasCredential(exchange)
              ? `The journal masks keys. The request had ${exchange.key ?? 'a credential'}. Leave it empty to send none.`
              : 'The request had no key. Leave it empty to send none.'
          }
        />
        <div class="buttons">
          <SubmitButton isBusy={isBusy} isPrimary label="Send request" />
        </div>
      </Form>
    </Dialog>
  )
}

/** What a client should do instead of what the note says, and the clause. */
function adviceOnNote(note: Note): string {
  if (note.kind === 'granted-scopes') return 'The scopes of the tokens that were issued.'
  const rule = ruleOfSignIn(note) ?? RULE_OF_NOTE[note.kind]
  if (rule === undefined) return ADVICE[note.kind] ?? PREFERENCES
  return `A client ${RULES[rule].expectation}. ${RULES[rule].clause}`
}

const PREFERENCES = 'A client sends only preferences that the service knows. RFC 7240 (Prefer)'

/** What there is to know about a note that is not about what a client should do. */
const ADVICE: Readonly<Partial<Record<Note['kind'], string>>> = {
  'overruled-property': 'The path says what the value is.',
  'unkept-property': 'The service sets the value itself.',
  'unread-filter': 'The parameter selects no records. A hint in `filters` says what it selects.',
  'unmade-records': 'The list is empty, because no value matches the schema of its records.',
  'undocumented-conflict':
    'The document has no response for a value that another record has, so the service may answer otherwise.',
}

/** The clauses that say what a status means: those of RFC 9110, beside those of the report's rules. */
const CLAUSES: Readonly<Record<number, string>> = {
  400: RULES['invalid-input'].clause,
  401: RULES.unauthorized.clause,
  403: 'RFC 9110, section 15.5.4 (403 Forbidden)',
  404: 'RFC 9110, section 15.5.5 (404 Not Found)',
  405: 'RFC 9110, section 15.5.6 (405 Method Not Allowed)',
  406: 'RFC 9110, section 15.5.7 (406 Not Acceptable)',
  409: 'RFC 9110, section 15.5.10 (409 Conflict)',
  410: 'RFC 9110, section 15.5.11 (410 Gone)',
  412: 'RFC 9110, section 15.5.13 (412 Precondition Failed)',
  413: 'RFC 9110, section 15.5.14 (413 Content Too Large)',
  415: 'RFC 9110, section 15.5.16 (415 Unsupported Media Type)',
  422: 'RFC 9110, section 15.5.21 (422 Unprocessable Content)',
  429: `RFC 6585, section 4 (429 Too Many Requests); ${RULES['early-retry'].clause}`,
  500: 'RFC 9110, section 15.6.1 (500 Internal Server Error)',
  503: 'RFC 9110, section 15.6.4 (503 Service Unavailable)',
}
