import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  failure,
  hasSuccessStatus,
  type LeftOut,
  NO_RESPONSE,
  operationCheck,
} from '../checks/check.ts'
import { comparable, sentRecord, shows } from '../checks/shown-values.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess, type ProbeResponse } from '../session/messages.ts'
import { isOnItem } from '../session/record-address.ts'
import type { Session } from '../session/session.ts'
import {
  blankValues,
  digitValues,
  emptyTexts,
  emptyValues,
  fullValues,
  type GivenValues,
  largestValues,
  markupValues,
  smallestValues,
  unusualValues,
  withValues,
} from '../test-data/full-body.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** Bodies that the document allows, by what is special about them. */
interface ValidBody {
  readonly id: string
  readonly what: string
  readonly valuesFor: (binding: ResourceBinding) => GivenValues
  /** Whether a service may have its reasons to refuse them, so that only what it accepts has to be kept. */
  readonly mayBeRefused?: true
  /** Whether they are compared without the rest of the record, and a service that alters them in several operations has one mistake. */
  readonly isOneCause?: true
}

const FULL: ValidBody = { id: 'full', what: 'every property', valuesFor: fullValues }
const UNUSUAL: ValidBody = {
  id: 'unusual',
  what: 'letters of several scripts, false and zero',
  valuesFor: unusualValues,
}
const LARGEST: ValidBody = { id: 'largest', what: 'the largest values', valuesFor: largestValues }
const SMALLEST: ValidBody = {
  id: 'smallest',
  what: 'the smallest values',
  valuesFor: smallestValues,
}

const DIGITS: ValidBody = {
  id: 'digits',
  what: 'texts of digits with a zero at the start',
  valuesFor: digitValues,
}

const MARKUP: ValidBody = {
  id: 'markup',
  what: 'texts with characters of HTML',
  valuesFor: markupValues,
  mayBeRefused: true,
}

const EMPTY: ValidBody = { id: 'empty', what: 'empty lists and null', valuesFor: emptyValues }

const BLANKS: ValidBody = {
  id: 'blanks',
  what: 'texts with blanks at their ends and inside',
  valuesFor: blankValues,
  mayBeRefused: true,
  isOneCause: true,
}

const EMPTY_TEXTS: ValidBody = {
  id: 'empty-texts',
  what: 'empty texts',
  valuesFor: emptyTexts,
  mayBeRefused: true,
  isOneCause: true,
}

/** The number of properties that are sent one by one after a refusal, to name the one that is refused. */
const MAX_SINGLE = 6

/** Creations with bodies that the document allows: they are accepted, and the values are kept. */
export function validBodyProbes({ bindings }: BoundResource, hasOwnLimits: boolean): Probe[] {
  const { create, read } = bindings
  if (!create?.operation.body || !takesJson(create.operation.body)) return []
  const reads = read && isOnItem(create, read) ? read : undefined
  const kinds = hasOwnLimits
    ? [FULL, UNUSUAL, EMPTY, MARKUP, BLANKS, EMPTY_TEXTS]
    : [FULL, UNUSUAL, LARGEST, SMALLEST, EMPTY, DIGITS, MARKUP, BLANKS, EMPTY_TEXTS]

  return kinds.flatMap((kind, at) => {
    const values = Object.values(kind.valuesFor(create))
    // The creations of a simple resource have plain texts.
    const isSent = hasOwnLimits && kind === FULL && values.every((one) => typeof one === 'string')
    return values.length === 0 || isSent ? [] : validBodyProbe(create, reads, kind, at)
  })
}

function validBodyProbe(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  { id, what, valuesFor, mayBeRefused, isOneCause }: ValidBody,
  at: number,
): Probe {
  const places = mayBeRefused ? [] : Object.keys(valuesFor(create)).slice(0, MAX_SINGLE)
  // What the service accepts only with other values than plain ones may have rules that the document does not state.
  const valuesIn = ({ bodies }: Session): GivenValues =>
    Object.fromEntries(
      Object.entries(valuesFor(create)).filter(
        ([name]) => !bodies.isRestricted(create.operation, name),
      ),
    )
  const singles = places.map(
    (_name, place): Step =>
      creation(create, (request, before, session) => {
        const [first] = before
        if (!first || !isRefused(first)) return undefined
        const single = Object.entries(valuesIn(session))[place]
        return single && withValues(request, create, Object.fromEntries([single]))
      }),
  )
  const all = creation(create, (request, _before, session) =>
    withValues(request, create, valuesIn(session)),
  )
  const found: Step = async (session, before) =>
    read && before[0] && isSuccess(before[0])
      ? await onCreated(read, create, 0)(session, before)
      : undefined
  const names = isOneCause ? new Set(Object.keys(valuesFor(create))) : undefined
  const [isAccepted, ...areKept] = validBodyChecks(create, read, id, what, names)
  const checks = isAccepted && !mayBeRefused ? [isAccepted, ...areKept] : areKept
  const story = storyOf(ORDER.boundaryValue + at / 10, [all, ...singles], checks)

  return {
    ...story,
    maxRequests: 2,
    send: async (session) => {
      const responses = await story.send(session)
      const request = await found(session, responses)
      return request ? [...responses, await session.send(request)] : responses
    },
  }
}

function validBodyChecks(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  id: string,
  what: string,
  names: ReadonlySet<string> | undefined,
): CheckDefinition[] {
  const more = names ? { cause: `values/${id}` } : {}
  return [
    operationCheck(create.operation, `values/${id}`, `accepts ${what}`, accepted(create)),
    operationCheck(
      create.operation,
      `values/${id}/shown`,
      `returns ${what} as sent`,
      ([first]) =>
        first && isSuccess(first) ? showsSent(first, first, create, create, names) : NOT_REACHED,
      more,
    ),
    ...(read
      ? [
          operationCheck(
            read.operation,
            `values/${id}`,
            `returns ${what} as they were sent`,
            (all) => {
              const [first] = all
              const last = all.find(({ request }) => request.operation === read.operation)
              return first && last && isSuccess(last)
                ? showsSent(first, last, create, read, names)
                : NOT_REACHED
            },
            more,
          ),
        ]
      : []),
  ]
}

function isRefused({ status }: ProbeResponse): boolean {
  return status === 400 || status === 422 || status >= 500
}

const TOGETHER: LeftOut = { leftOut: 'the values are refused together, but not one by one' }

/** The body is accepted or, when it was refused, each of its values alone. A refusal for another reason says nothing about it. */
function accepted({ operation }: ResourceBinding): Evaluate {
  return ([first, ...others]) => {
    if (!first) return NO_RESPONSE
    if (isSuccess(first)) return hasSuccessStatus(operation, first)
    if (!isRefused(first)) return { leftOut: 'the request was refused for another reason' }
    const single = others.find((one) => one.request.operation === operation && isRefused(one))
    if (single) return failure(single, '2xx, because the document allows the body')
    return others.some(isSuccess)
      ? TOGETHER
      : failure(first, '2xx, because the document allows the body')
  }
}

/** Whether a response shows the values of a creation, or those with some names. */
function showsSent(
  sent: ProbeResponse,
  found: ProbeResponse,
  create: ResourceBinding,
  binding: ResourceBinding,
  names?: ReadonlySet<string>,
): ReturnType<typeof shows> {
  const record = sentRecord(sent, create)
  if (!isObject(record)) return NOT_REACHED
  const values = comparable(record, found, binding).filter(([name]) => names?.has(name) !== false)
  return values.length === 0
    ? { leftOut: 'the response shows none of the values' }
    : shows(found, binding, values, 'as it was sent')
}
