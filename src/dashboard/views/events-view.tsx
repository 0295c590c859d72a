import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { formatDuration, formatNumber, timeOfDay } from '../../report/format.ts'
import { Badge, type Tone } from '../../report/html/sections.tsx'
import { messageOf, useAction, useFormAction, useLoaded, usePage } from '../page.ts'
import { Code, HeaderList } from '../parts/code.tsx'
import {
  Button,
  Empty,
  ErrorText,
  Facts,
  Form,
  Panel,
  Pending,
  Split,
  StatusBadge,
  SubmitButton,
  useFirst,
} from '../parts/elements.tsx'
import { Field, SearchField, Select } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'

type Delivery = Awaited<ReturnType<SandboxClient['events']['deliveries']>>[number]

/** Milliseconds between two readings of the deliveries. */
const INTERVAL = 1000

/** What was sent to the receivers of events, who asks for events, and the delivery that is open. */
export function EventsView(): JSX.Element {
  const { client, route } = usePage()
  const { value, error, reload } = useLoaded(() => client.events.deliveries(), [], INTERVAL)
  const [id] = route.path
  const open = value?.find((one) => String(one.id) === id)
  if (!value) return <Pending error={error} />

  return (
    <Split
      panel={id !== undefined && <DeliveryPanel key={id} id={id} delivery={open} onSent={reload} />}
    >
      <div class="list events">
        <Deliveries deliveries={value} />
        <div class="view columns">
          <EmitForm onSent={reload} />
          <Subscriptions />
        </div>
      </div>
    </Split>
  )
}

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'neutral',
  delivered: 'good',
  failed: 'bad',
  refused: 'warning',
}

const COLUMNS: readonly Column<Delivery>[] = [
  { label: 'Event', class: 'main', cell: ({ event }) => <code>{event.type}</code> },
  {
    label: 'State',
    class: 'status',
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  { label: 'Receiver', class: 'wide-only', cell: ({ url }) => <span title={url}>{url}</span> },
  { label: 'Last attempt', class: 'wide-only', cell: lastAttempt },
  { label: 'Time', class: 'time wide-only', cell: ({ event }) => timeOfDay(event.at) },
  { label: 'Forced', class: 'source wide-only', cell: ({ fault = '–' }) => fault },
  { label: '#', class: 'number id', cell: ({ id }) => id },
]

/** What came of the last attempt, and how many there were. */
function lastAttempt({ attempts, reason }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return reason ?? 'none yet'
  const result = last.status ?? last.error ?? 'no response'
  return attempts.length === 1 ? String(result) : `${result}, attempt ${attempts.length}`
}

const STATES = Object.keys(TONES)

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }): JSX.Element {
  const { route, linkTo, change } = usePage()
  const { text = '', state = '' } = route.query
  const wanted = text.toLowerCase()
  const rows = deliveries
    .filter(
      (one) =>
        (state === '' || one.state === state) &&
        `${one.event.type} ${one.url} ${one.body}`.toLowerCase().includes(wanted),
    )
    .toReversed()

  return (
    <section class="traffic" aria-label="Deliveries">
      <search class="filters">
        <SearchField
          label="Text"
          placeholder="Search event, receiver, body"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <Select
          label="State"
          isLabelHidden
          value={state}
          choices={[{ value: '', label: 'All states' }, ...STATES]}
          onChange={(given) => change({ state: given })}
        />
        <p class="counts">
          <b>{formatNumber(rows.length)}</b> of {formatNumber(deliveries.length)} deliveries
        </p>
      </search>
      <Table
        label="Deliveries, newest first"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => linkTo({ view: 'events', path: [String(id)], query: route.query })}
        selected={route.path[0]}
        empty={<NoDeliveries isFiltered={text !== '' || state !== ''} />}
      />
    </section>
  )
}

function NoDeliveries({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) return <Empty title="No delivery matches the filter" />
  return (
    <Empty title="No events yet">
      <p>
        An event is sent when a request changes a record that a subscription asks for. To send all
        events to one address:
      </p>
      <pre>pet-sandbox API.yaml --webhook http://127.0.0.1:3000/hooks</pre>
    </Empty>
  )
}

/** Sends an event by hand. */
function EmitForm({ onSent }: { readonly onSent: () => Promise<void> }): JSX.Element {
  const { client } = usePage()
  const { run, isBusy, error } = useFormAction()
  const [type, setType] = useState('')
  const [data, setData] = useState('')
  const [wrong, setWrong] = useState({ name: '', data: '' })
  const send = (): void => {
    const read = readData(data)
    const name = type.trim() === '' ? 'Type the name of an event.' : ''
    setWrong({ name, data: 'error' in read ? read.error : '' })
    if (name !== '' || 'error' in read) return
    run(
      () => client.events.emit(type.trim(), read.value),
      ({ id }) => `The event ${id} is sent.`,
      onSent,
    )
  }

  return (
    <Form class="card stack" aria-label="Send an event" onSubmit={send}>
      <h2>Send an event</h2>
      <Field
        label="Name"
        value={type}
        onInput={setType}
        placeholder="order.created"
        error={wrong.name || messageOf(error)}
      />
      <Field
        label="Data (JSON)"
        rows={3}
        value={data}
        onInput={setData}
        error={wrong.data}
        hint="Leave it empty for what the document says."
      />
      <p class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label="Send event" />
      </p>
    </Form>
  )
}

function readData(text: string): { readonly value: unknown } | { readonly error: string } {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { error: 'It is not JSON.' }
  }
}

const SUBSCRIPTIONS_INTERVAL = 3000

/** The records that ask for events. */
function Subscriptions(): JSX.Element {
  const { client } = usePage()
  const { value, error } = useLoaded(
    () => client.events.subscriptions(),
    [],
    SUBSCRIPTIONS_INTERVAL,
  )
  const { first, more } = useFirst(value ?? [], 50, 'subscriptions')

  return (
    <section class="card" aria-label="Subscriptions">
      <h2>Subscriptions</h2>
      {!value && <Pending error={error} />}
      {value?.length === 0 && (
        <p class="quiet">No record asks for events. A client creates one by the API.</p>
      )}
      <ul class="rows">
        {first.map(({ path, url, events, active }) => (
          <li key={path}>
            <div class="long">
              <b>{url}</b>
              <p class="quiet">
                {path} · {events === undefined ? 'all events' : events.join(', ')}
              </p>
            </div>
            <Badge tone={active ? 'good' : 'neutral'}>{active ? 'active' : 'inactive'}</Badge>
          </li>
        ))}
      </ul>
      {more}
    </section>
  )
}

interface DeliveryPanelProps {
  readonly id: string
  /** Absent when it was dropped, or does not exist. */
  readonly delivery: Delivery | undefined
  readonly onSent: () => Promise<void>
}

/** One delivery: what was sent, and what the receiver answered to each attempt. */
function DeliveryPanel({ id, delivery, onSent }: DeliveryPanelProps): JSX.Element {
  const { route, linkTo } = usePage()

  return (
    <Panel label={`Delivery ${id}`} closeHref={linkTo({ view: 'events', query: route.query })}>
      {delivery ? (
        <>
          <h2 class="exchange-title">
            <Badge tone={TONES[delivery.state]}>{delivery.state}</Badge>{' '}
            <code>{delivery.event.type}</code>
          </h2>
          <DeliveryButtons delivery={delivery} onSent={onSent} />
          <DeliveryFacts delivery={delivery} />
          <section aria-label="Body">
            <h3>Body</h3>
            <Code text={delivery.body} label="Event body" />
          </section>
          {delivery.attempts.map((attempt, at) => (
            <AttemptSection key={attempt.at} attempt={attempt} number={at + 1} />
          ))}
        </>
      ) : (
        <Empty title={`There is no delivery ${id}`}>
          <p>It was dropped for later ones, or it was made before a reset.</p>
        </Empty>
      )}
    </Panel>
  )
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { event, url, method, subscription, next, reason, fault } = delivery
  const facts = {
    Event: event.id,
    Receiver: `${method} ${url}`,
    Subscription: subscription,
    'Next attempt': next !== undefined && timeText(next),
    'Not sent because': reason,
    Forced: fault,
  }

  return <Facts facts={facts} />
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** Sends the event again, as it was or with a forged signature. */
function DeliveryButtons(
  props: Omit<DeliveryPanelProps, 'id' | 'delivery'> & {
    readonly delivery: Delivery
  },
): JSX.Element {
  const { delivery, onSent } = props
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { id } = delivery
  const send = (options: Parameters<typeof client.events.resend>[1], done: string): unknown =>
    run(() => client.events.resend(id, options), done, onSent)

  return (
    <p class="buttons">
      <Button disabled={isBusy} onClick={() => send({}, 'The event is sent again.')}>
        Send again
      </Button>
      <Button
        disabled={isBusy}
        onClick={() =>
          send({ fault: 'wrong-signature' }, 'The event is sent again with a forged signature.')
        }
      >
        Send a forged one
      </Button>
    </p>
  )
}

interface AttemptProps {
  readonly attempt: Delivery['attempts'][number]
  /** From 1. */
  readonly number: number
}

/** What an attempt sent besides the body, and what came of it. */
function AttemptSection({ attempt, number }: AttemptProps): JSX.Element {
  const { at, duration, headers, status, responseBody, error, age } = attempt

  return (
    <section aria-label={`Attempt ${number}`}>
      <h3>
        Attempt {number} {status !== undefined && <StatusBadge status={status} />}
      </h3>
      <p class="quiet">
        {timeText(at)}, took {formatDuration(duration)}
      </p>
      {error !== undefined && <ErrorText class="error long">{error}</ErrorText>}
      <SignatureText headers={headers} {...(age !== undefined && { age })} />
      <HeaderList headers={Object.entries(headers)} />
      {responseBody ? (
        <Code text={responseBody} label={`Response body of attempt ${number}`} />
      ) : null}
    </section>
  )
}

/** The headers that a receiver checks, with how each is made. */
const SIGNATURES: readonly (readonly [header: RegExp, how: string])[] = [
  [
    /^webhook-signature$/i,
    'the base64 of an HMAC-SHA256 of "webhook-id.webhook-timestamp.body" (Standard Webhooks)',
  ],
  [/^x-hub-signature-256$/i, 'the hexadecimal HMAC-SHA256 of the body (GitHub)'],
  [/^stripe-signature$/i, 'the hexadecimal HMAC-SHA256 of "t.body" (Stripe)'],
  [/^x-twilio-signature$/i, 'the base64 of an HMAC-SHA1 of the address (Twilio)'],
  [/^authorization$/i, 'the secret as a bearer token'],
]

/** How the receiver checks who sent it. */
function SignatureText(
  props: Pick<AttemptProps['attempt'], 'headers' | 'age'>,
): JSX.Element | null {
  const { headers, age } = props
  const found = SIGNATURES.flatMap(([pattern, how]) =>
    Object.keys(headers)
      .filter((name) => pattern.test(name))
      .map((name) => [name, how] as const),
  )
  if (found.length === 0) return null

  return (
    <ul class="hint">
      {found.map(([name, how]) => (
        <li key={name}>
          <code>{name}</code> is {how}.
        </li>
      ))}
      {age !== undefined && <li>Its timestamp was {formatNumber(age)} seconds old.</li>}
    </ul>
  )
}
