import { Option } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ShownDelivery, ShownSubscription } from '../../control/outputs.ts'
import { DELIVERY_STATES, type DeliveryState, type SentEvent } from '../../events/delivery.ts'
import type { ForceRule } from '../../forcing/force-rule.ts'
import { DELIVERY_FAULTS, RESEND_FAULTS, toDeliveryFault } from '../../forcing/outcomes.ts'
import type { ResendOptions } from '../../sandbox/events.ts'
import { printable } from '../terminal.ts'
import { forcedTable, shareOption } from './outcomes.ts'
import {
  type Columns,
  integerOption,
  listing,
  parseJsonArgument,
  tableOf,
  toInteger,
  type VerbResult,
  type Verbs,
} from './run-verb.ts'

interface ListOptions {
  readonly type?: string
  readonly state?: DeliveryState
}

const COLUMNS: Columns<ShownDelivery> = {
  ID: ({ id }) => id,
  EVENT: ({ event }) => event.type,
  RECORD: ({ event }) => event.record ?? '',
  STATE: ({ state }) => state,
  FORCED: ({ fault }) => fault ?? '',
  ATTEMPTS: ({ attempts }) => attempts.length,
  RESULT: describeResult,
  NEXT: ({ next }) => (next === undefined ? '' : new Date(next).toISOString()),
  URL: ({ url }) => url,
}

const SUBSCRIPTIONS: Columns<ShownSubscription> = {
  SUBSCRIPTION: ({ path }) => path,
  URL: ({ url }) => url,
  EVENTS: ({ events }) => events?.join(', ') ?? 'all',
  ACTIVE: ({ active }) => (active ? 'yes' : 'no'),
}

/** The verbs for events and their deliveries. */
export const deliveries: Verbs = {
  deliveries: {
    description: 'list the webhooks and callbacks that were sent',
    options: [
      new Option('--type <event>', 'only events with this name'),
      new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES),
    ],
    run: (options: ListOptions) =>
      listing((client) => client.events.deliveries(options), COLUMNS, 'Nothing was sent.'),
    verbs: {
      resend: {
        description: 'send a delivery once more',
        arguments: { '<id>': 'an id from "deliveries"' },
        options: [
          new Option(
            '--fault <fault>',
            'what is wrong with it, so that the receiver must refuse it',
          ).choices(RESEND_FAULTS),
        ],
        run: (text: string, options: ResendOptions) => {
          const id = toInteger('the id', text, 1)
          return async (client) => {
            const again = await client.events.resend(id, options)
            return { value: again, lines: tableOf([again], Object.entries(COLUMNS), '') }
          }
        },
      },
      force: {
        description: 'force a fault on the next deliveries; "unforce" ends it',
        arguments: { '<fault>': DELIVERY_FAULTS.join(', ') },
        options: [
          new Option('--event <event>', 'only events with this name, for example "order.*"'),
          new Option('--subscription <path>', 'only deliveries to it, for example hooks/1'),
          integerOption('--times <number>', 'the number of deliveries (default: all)', 1),
          integerOption('--skip <number>', 'the number of deliveries to send normally first', 0),
          shareOption('the share of deliveries, for example 0.1'),
          new Option('--latency <time>', 'how late the delivery is (default: 1h; only for late)'),
        ],
        run: (name: string, options: ForceRule) => {
          const rule = { ...options, delivery: toDeliveryFault(name) }
          return async (client) => {
            const forced = await client.force(rule)
            return { value: forced, lines: forcedTable(forced) }
          }
        },
      },
      settle: {
        description: 'wait until everything that is due was sent',
        run: () => async (client) => {
          const settled = await client.events.settled()
          const { delivered, failed, pending } = settled
          const line = `${delivered} delivered, ${failed} failed, ${pending} pending`
          return { value: settled, lines: [line] }
        },
      },
    },
  },
  emit: {
    description: 'send an event to those who ask for it',
    arguments: {
      '<event>': 'the name, for example order.cancelled',
      '[data]': 'a record or other data as JSON (default: a record that the name tells)',
    },
    run: (type: string, text: string | undefined) => {
      const data = text === undefined ? undefined : parseJsonArgument(text, 'the data')
      return async (client) => {
        return sentEvent(client, await client.events.emit(type, data))
      }
    },
  },
  trigger: {
    description: 'send an event about a record that is made for it',
    arguments: { '<event>': 'the name, for example order.cancelled' },
    run: (type: string) => async (client) => sentEvent(client, await client.events.trigger(type)),
  },
  subscriptions: {
    description: 'list the subscriptions to webhooks',
    run: () =>
      listing(
        (client) => client.events.subscriptions(),
        SUBSCRIPTIONS,
        'There are no subscriptions. Requests make them.',
      ),
  },
}

/** Tells of an event that was sent, and whether anybody gets it. */
async function sentEvent(
  { events }: Pick<SandboxClient, 'events'>,
  event: SentEvent,
): Promise<VerbResult> {
  const sent = await events.deliveries({ type: event.type })
  const isSent = sent.some((one) => one.event.id === event.id)
  const about = event.record === undefined ? '' : ` about ${event.record}`
  const line = printable(`${event.type}${about}: ${event.id}`)

  return { value: event, lines: isSent ? [line] : [line, TO_NOBODY] }
}

const TO_NOBODY =
  'Nobody gets it: no subscription and no receiver (serve --webhook URL) asks for this event.'

/** The status of the latest response, or why there was none. */
function describeResult({ attempts, reason }: ShownDelivery): string {
  const { status, error = '' } = attempts.at(-1) ?? {}
  return reason ?? (status === undefined ? error : String(status))
}
