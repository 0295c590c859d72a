import { Option } from 'commander'
import type { ShownDelivery, ShownSubscription } from '../../control/outputs.ts'
import {
  DELIVERY_FAULTS,
  DELIVERY_STATES,
  type DeliveryFault,
  type DeliveryState,
} from '../../events/delivery.ts'
import {
  checkedFault,
  type DeliveryFaultOptions,
  type ForcedDeliveryFault,
} from '../../events/delivery-faults.ts'
import { milliseconds } from '../../time/duration.ts'
import { printable } from '../terminal.ts'
import {
  type Columns,
  listing,
  parseJsonArgument,
  tableOf,
  toInteger,
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

const FAULTS: Columns<ForcedDeliveryFault> = {
  ID: ({ id }) => id,
  FAULT: ({ fault }) => fault,
  EVENT: ({ event }) => event ?? 'all',
  RECEIVER: ({ receiver }) => receiver ?? 'all',
  TIMES: ({ times }) => times ?? 'all',
  PROBABILITY: ({ probability }) => probability ?? '',
  FORCED: ({ forced }) => forced,
}

interface FaultOptions {
  readonly event?: string
  readonly receiver?: string
  readonly times?: string
  readonly probability?: string
  readonly delay?: string
  readonly copies?: string
}

/** Checks a fault before it is sent, with the same message as in the library. */
function readFault(
  fault: string,
  { times, probability, delay, copies, ...others }: FaultOptions,
): { readonly name: DeliveryFault; readonly settings: DeliveryFaultOptions } {
  const settings = {
    ...others,
    ...(times !== undefined && { times: toInteger('--times', times, 1) }),
    ...(delay !== undefined && { delay: milliseconds(delay) }),
    ...(copies !== undefined && { copies: toInteger('--copies', copies, 1) }),
    ...(probability !== undefined && { probability: Number(probability) }),
  }
  return { name: checkedFault(fault, settings).fault, settings }
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
        run: (text: string) => {
          const id = toInteger('the id', text, 1)
          return async (client) => {
            const again = await client.events.resend(id)
            return { value: again, lines: tableOf([again], Object.entries(COLUMNS), '') }
          }
        },
      },
      force: {
        description: 'force a fault on the deliveries of later events',
        arguments: { '<fault>': DELIVERY_FAULTS.join(', ') },
        options: [
          new Option('--event <event>', 'only events with this name'),
          new Option(
            '--receiver <receiver>',
            'only this subscription, such as hooks/1, or address',
          ),
          new Option('--times <number>', 'how many deliveries have it (default: all)'),
          new Option('--probability <number>', 'how likely a delivery has it, from 0 to 1'),
          new Option('--delay <time>', 'how much later it is sent (late, out-of-order)'),
          new Option('--copies <number>', 'how many copies follow (burst; default: 20)'),
        ],
        run: (fault: string, options: FaultOptions) => {
          const { name, settings } = readFault(fault, options)
          return async (client) => {
            const forced = await client.events.force(name, settings)
            return { value: forced, lines: tableOf([forced], Object.entries(FAULTS), '') }
          }
        },
      },
      faults: {
        description: 'list the faults that are forced on deliveries',
        run: () => listing((client) => client.events.forced(), FAULTS, 'No fault is forced.'),
      },
      unforce: {
        description: 'remove a delivery fault, or all of them',
        arguments: { '[id]': 'an id from "deliveries faults"' },
        run: (text: string | undefined) => {
          const id = text === undefined ? undefined : toInteger('the id', text, 1)
          return async (client) => {
            await client.events.unforce(id)
            const what = id === undefined ? 'All delivery faults are' : `Delivery fault ${id} is`
            return { value: null, lines: [`${what} removed.`] }
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
        const event = await client.events.emit(type, data)
        const about = event.record === undefined ? '' : ` about ${event.record}`
        return { value: event, lines: [printable(`${event.type}${about}: ${event.id}`)] }
      }
    },
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

/** The status of the latest response, or why there was none. */
function describeResult({ attempts, reason }: ShownDelivery): string {
  const { status, error = '' } = attempts.at(-1) ?? {}
  return reason ?? (status === undefined ? error : String(status))
}
