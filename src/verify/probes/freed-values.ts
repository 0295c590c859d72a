import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { isOnItem, sentPlace, valueAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { type GivenValues, withValues } from '../test-data/full-body.ts'
import { withOtherValues } from '../test-data/unguessable.ts'
import { typeOf } from '../test-data/values.ts'
import { hasConflict, identifiersIn, NAME, sentValues } from './conflicts.ts'
import { ORDER, type Probe } from './probe.ts'
import { keepsRecord, stateAfter } from './removals.ts'
import { creation, idOfCreated, onCreated, type Step } from './steps.ts'

/** What says that the values of removed records are not free: "unique, also among removed ones". */
const NEVER_FREE =
  /\b(remov|delet|archiv|earlier|former)\w*\b.*\b(too|as well|includ\w+|stays?|remains?|reserved|not (be )?(free|used))\b|\b(also|including|even) \w* ?(remov|delet|archiv|earlier|former)|\b(never|not) (be )?(used again|re-?used)\b/i

/** What is said of ids says nothing of other values. */
const OF_IDS = /\b(ids?|identifiers?)\b/i

const UNKNOWN: LeftOut = { leftOut: 'no two records were refused because of these values only' }

/**
 * Values that one record has only: those that a change gives it are taken from then on, and those that it had before are free, as are those of a
 * removed record. Only where the service refuses a second record with them, and accepts others.
 */
export function freedValueProbes({ bindings }: BoundResource, texts: DocumentTexts): Probe[] {
  const { create, update, replace, remove, read } = bindings
  if (create?.operation.method !== 'POST' || !hasConflict(create)) return []
  if (create.resource.hasClientIds) return []
  const names = namesOf(create, texts)
  const said = [create, ...(remove ? [remove] : [])].map(({ operation }) =>
    texts.operation(operation.id),
  )
  const all = [texts.api, ...said, ...names.map((one) => texts.property(create.operation.id, one))]
  const sentences = all.flatMap(sentencesOf).filter((one) => !OF_IDS.test(one))
  const isStated = [...sentences, texts.anyResponse(create.operation.id, 409)].some(isOfOthers)
  if (!isStated) return []
  if (names.length === 0 || sentences.some((one) => NEVER_FREE.test(one))) return []
  const change = [update, replace].find(
    (one) => one && hasConflict(one) && isOnItem(create, one) && hasAll(one, names),
  )
  const isRemoved = remove && read && isOnItem(create, remove) && !keeps(remove, read)
  const removes = isRemoved ? remove : undefined
  return change || removes ? [freedProbe({ create, change, remove: removes, names })] : []
}

/** Whether a sentence says that a value is one that no other record has, and not only that something is a conflict. */
function isOfOthers(sentence: string): boolean {
  return /\bunique\b|\b(another|other|already)\b.*\b(has|have|uses?|used|with|exists?|taken)\b|\b(has|have|used by|taken by|exists?)\b.*\b(another|other|already)\b/i.test(
    sentence,
  )
}

/** Whether a removal may keep the record in another state. */
function keeps(remove: ResourceBinding, read: ResourceBinding): boolean {
  const state = stateAfter(remove, read)
  return Object.keys(state).length > 0 || keepsRecord(remove, state)
}

function propertiesSent(binding: ResourceBinding): ReturnType<typeof propertiesOf> {
  return propertiesOf(schemaAt(binding.operation.body?.schema ?? {}, sentPlace(binding)) ?? {})
}

function hasAll(binding: ResourceBinding, names: readonly string[]): boolean {
  const sent = propertiesSent(binding)
  return names.every((one) => sent.has(one))
}

/** What identifies one record; else its names, and the texts that the description of a conflict is about. */
function namesOf(create: ResourceBinding, texts: DocumentTexts): readonly string[] {
  const identifiers = identifiersIn(create, texts)
  if (identifiers.length > 0) return identifiers
  const said = sentencesOf(texts.operation(create.operation.id)).filter((one) =>
    /\b409\b|\bunique\b/i.test(one),
  )
  return [...propertiesSent(create)].flatMap(([name, schema]) => {
    const isMeant = NAME.test(name) || said.some((one) => hasWords(one, spaced(name)))
    return isMeant && typeOf(schema) === 'string' ? [name] : []
  })
}

interface Freed {
  readonly create: ResourceBinding
  readonly change: ResourceBinding | undefined
  readonly remove: ResourceBinding | undefined
  readonly names: readonly string[]
}

/** A creation with values of another record. */
function withTaken(create: ResourceBinding, taken: GivenValues): Step {
  return creation(
    create,
    (request) => ({
      ...withValues(withOtherValues(request, create), create, taken),
      isRepeated: true,
    }),
    0,
  )
}

function freedProbe(freed: Freed): Probe {
  const { change, remove } = freed
  return {
    order: ORDER.largeInteger + 0.3,
    maxRequests: 4 + (change ? 3 : 0) + (remove ? 2 : 0),
    creations: 6,
    requires: 'writes',
    checks: checksOf(freed),
    send: (session) => tell(session, freed),
  }
}

async function tell(
  session: Session,
  { create, change, remove, names }: Freed,
): Promise<readonly ProbeResponse[]> {
  const fresh = await creationRequest(create.operation, session)
  const responses = [await session.send({ ...fresh, isValid: true })]
  const next = async (step: Step): Promise<ProbeResponse | undefined> => {
    const request = await step(session, responses)
    if (!request) return undefined
    const response = await session.send(request)
    responses.push(response)
    return response
  }
  const own = responses[0] && sentValues(responses[0], create, names)
  if (!own || !responses[0] || idOfCreated(responses[0], create) === undefined) return responses
  const refused = await next(withTaken(create, own))
  // It is sent as it is, too, so that nothing but the values is another reason of the conflict.
  const other = await next(withTaken(create, {}))
  if (refused?.status !== CONFLICT || !other || !isSuccess(other)) return responses
  const changed = change && (await otherValues(session, create, own))
  const renamed =
    changed &&
    (await next(
      onCreated(change, create, 0, (one) =>
        withValues(withOtherValues(one, change), change, changed),
      ),
    ))
  // A value that another record had was sent again as another one.
  const taken = change && sentValues(renamed, change, names)
  if (taken) {
    await next(withTaken(create, taken))
    await next(withTaken(create, own))
  }
  const removed = remove && (await next(onCreated(remove, create, 0)))
  if (removed && isSuccess(removed)) await next(withTaken(create, taken ?? own))
  return responses
}

/** Values that no record has; `undefined` where the run can make none. */
async function otherValues(
  session: Session,
  create: ResourceBinding,
  own: GivenValues,
): Promise<GivenValues | undefined> {
  const { body = '' } = await creationRequest(create.operation, session)
  const record = valueAt(parseJsonText(body), sentPlace(create))
  const values = isObject(record) ? record : {}
  const isOther = Object.keys(own).every(
    (one) => values[one] !== undefined && values[one] !== own[one],
  )
  return isOther ? Object.fromEntries(Object.keys(own).map((one) => [one, values[one]])) : undefined
}

const CONFLICT = 409

function checksOf({ create, change, remove, names }: Freed): readonly CheckDefinition[] {
  const { operation } = create
  const what = names.join(' and ')
  const after = (
    all: readonly ProbeResponse[],
    binding: ResourceBinding | undefined,
  ): readonly ProbeResponse[] => {
    const at = all.findIndex((one) => one.request.operation === binding?.operation)
    return at > 0 && all[at] && isSuccess(all[at]) ? all.slice(at + 1) : []
  }
  const renamed = [
    operationCheck(
      operation,
      'conflict/renamed',
      `refuses the ${what} that a change gave`,
      (all) => {
        const [taken] = after(all, change)
        return taken ? passIf(taken.status === CONFLICT, taken, '409') : UNKNOWN
      },
    ),
    operationCheck(operation, 'conflict/freed', `accepts the ${what} that a change took`, (all) => {
      const [, free] = after(all, change)
      return free?.request.operation === operation
        ? passIf(free.status !== CONFLICT, free, 'no 409: no record has these values')
        : UNKNOWN
    }),
  ]
  const removed = operationCheck(
    operation,
    'conflict/removed',
    `accepts the ${what} of a removed record`,
    (all) => {
      const [free] = after(all, remove)
      return free
        ? passIf(free.status !== CONFLICT, free, 'no 409: the record is removed')
        : UNKNOWN
    },
  )
  return [...(change ? renamed : []), ...(remove ? [removed] : [])]
}
