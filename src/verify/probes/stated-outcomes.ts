import type { Contract } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type Evaluation, failure, operationCheck, passIf } from '../checks/check.ts'
import { isGone, isSuccess, type ProbeResponse } from '../messages.ts'
import { idIn, isParameter, recordIn, recordsAt, segmentsOf, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { hasWords, membersOf, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe } from './probe.ts'
import { onRecord } from './stated-conflicts.ts'
import {
  around,
  itemTemplates,
  NOT_USED,
  operationsOn,
  type Use,
  useOf,
  usersIn,
  usesOf,
} from './stated-relations.ts'
import { idOfCreated, inLongestPage } from './steps.ts'

/**
 * What the document says in words of the records that use another one, after an operation on that one: "Its photos are deleted with it",
 * "All active enrolments of the course become withdrawn".
 */
export function statedOutcomeProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const users = usersIn(groups, resourcesIn(contract))
  return groups.flatMap((group) => {
    const { create } = group.bindings
    if (create?.operation.method !== 'POST') return []
    const onItem = operationsOn(group)
    const items = itemTemplates(create, onItem)
    return onItem.flatMap((one) => {
      const sentences = sentencesOf(texts.operation(one.operation.id))
      const uses = sentences.length > 0 ? usesOf(create, users, items) : []
      return sentences
        .flatMap((sentence) => outcomesIn(sentence, one, uses))
        .map((outcome) => outcomeProbe(create, one, outcome))
    })
  })
}

/** What a sentence says of records that use another one. */
interface StatedOutcome {
  readonly use: Use
  readonly outcome: Outcome
  readonly sentence: string
}

function outcomesIn(
  sentence: string,
  binding: ResourceBinding,
  uses: readonly Use[],
): readonly StatedOutcome[] {
  const words = spaced(sentence)
  const outcome = outcomeIn(sentence, binding)
  return usersNamedIn(words, uses).flatMap((use) => {
    const found = outcome ?? stateAfter(words, use)
    return found === undefined ? [] : [{ use, outcome: found, sentence }]
  })
}

/**
 * What an operation does with the records that use another one: they refer to it no longer, they are removed with it, or they are kept;
 * or they come into a state, such as `void`.
 */
type Outcome = 'released' | 'removed' | 'kept' | StateAfter

/** A property of the record that uses another one, and its value after the operation. */
interface StateAfter {
  readonly property: string
  readonly value: unknown
}

const RELEASES =
  /\b(taken off|unassigned|detached|released|freed)\b|\b(gets?|becomes?|set to)\b.*\bnull\b/i
const REMOVES = /\b(?:removes?|deletes?)\b.*\b(?:with|including|and|also)\b/i
const GOES =
  /\b(?:disappears?|vanish(?:es)?|goe?s?|(?:is|are) (?:also |then )?(?:removed|deleted|dropped|gone))\b/i
const KEEPS = /\b(is|are) (kept|not (removed|deleted))\b|\b(stays?|remains?)\b/i

/** What a sentence says of an operation; `undefined` for what depends on more. */
function outcomeIn(sentence: string, { action }: ResourceBinding): Outcome | undefined {
  if (
    /\b(409|while|unless|if|only|not (taken|unassigned|detached|released|freed))\b/i.test(sentence)
  )
    return undefined
  if (RELEASES.test(sentence)) return 'released'
  if (action !== 'remove') return undefined
  if (KEEPS.test(sentence)) return 'kept'
  return REMOVES.test(sentence) || GOES.test(sentence) ? 'removed' : undefined
}

/** What may come before the state of a record after an operation: "All active enrolments of the course become withdrawn". */
const BECOMES =
  /^[^,;]*?\b(?:becomes?|(?:is|are) (?:set to|marked(?: as)?)) (?:then |also )?(?:an? )?/i

/** The state into which an operation on a record brings those that use it, as a sentence says. */
function stateAfter(sentence: string, { nouns, read }: Use): StateAfter | undefined {
  if (!read || /\b(409|unless|if|only|not)\b/i.test(sentence)) return undefined
  const said = nouns.flatMap((noun) => around(sentence, noun) ?? []).at(0)
  const [start] = BECOMES.exec(said?.after ?? '') ?? []
  const rest = start === undefined ? '' : (said?.after.slice(start.length) ?? '')
  const members = [...propertiesOf(read.resource.schema)].flatMap(([property, schema]) =>
    membersOf(property, schema).map(([value, words]) => ({ property, value, words })),
  )
  return members.find(({ words }) => hasWords(rest.slice(0, words.length + 1), words))
}

/** The records of a sentence that refer to others, as in "All the tools that the van carries are taken off it". */
function usersNamedIn(sentence: string, uses: readonly Use[]): readonly Use[] {
  const isMeant = ({ property, nouns, read }: Use): boolean =>
    property !== undefined && read !== undefined && nouns.some((noun) => around(sentence, noun))
  return uses.filter(isMeant).slice(0, 1)
}

/** The id and the name of the check of an outcome. */
function namesOf(outcome: Outcome, noun: string): readonly [id: string, name: string] {
  const word = noun.replaceAll(' ', '-')
  const said = ', as the description says'
  if (outcome === 'released')
    return [`stated/releases-${word}`, `leaves no ${noun} that refers to its record${said}`]
  if (outcome === 'removed')
    return [`stated/removes-${word}`, `removes the ${noun} that refers to its record, too${said}`]
  if (outcome === 'kept')
    return [`stated/keeps-${word}`, `keeps the ${noun} that refers to its record${said}`]
  const state = `${outcome.property}=${outcome.value}`
  return [
    `stated/${word}/${state}`,
    `sets ${state} of the ${noun} that refers to its record${said}`,
  ]
}

/** What becomes of a record that uses another one after the operation on that one. */
function outcomeProbe(
  create: ResourceBinding,
  binding: ResourceBinding,
  { use, outcome, sentence }: StatedOutcome,
): Probe {
  const { read } = use
  const [id, name] = namesOf(outcome, use.nouns.at(-1) ?? 'record')
  const check = operationCheck(binding.operation, id, name, (all) => {
    const [used, before, done, after, listed] = all
    const owner = used && idOfCreated(used, create)
    if (!before || !done || !after || ![before, done].every(isSuccess)) return NOT_USED
    if (owner === undefined || referredIn(before, use) !== owner) return NOT_USED
    if (typeof outcome === 'object' && isIn(before, use, outcome)) return NOT_USED
    if (listed && isListed(listed, before, use))
      return failure(listed, `a list without it: "${sentence.trim()}"`)
    return judged(outcome, { after, owner, use, sentence: sentence.trim() })
  })
  return {
    order: binding.action === 'remove' ? ORDER.remove + 0.42 : ORDER.change + 0.87,
    maxRequests: 7,
    creations: 2,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const plain = await creationRequest(create.operation, session)
      const used = await session.send({ ...plain, isValid: true })
      if (!read || idOfCreated(used, create) === undefined) return [used]
      const users = await useOf(session, create, used, use)
      const [user] = users
      const reading = user && (await onRecord(session, user, use.create, read))
      const request = await onRecord(session, used, create, binding)
      if (!reading || !request || !users.every(isSuccess)) return [used]
      const before = await session.send(reading)
      const done = await session.send({ ...request, keepsRefusal: true })
      const responses = [used, before, done, await session.send(reading)]
      if (outcome !== 'removed' || !isSuccess(done)) return responses
      return [...responses, ...(await listOfUsers(session, used, create, use))]
    },
  }
}

/** The list of the records that use others, of those of one record where a filter selects them. */
async function listOfUsers(
  session: Session,
  used: ProbeResponse,
  owner: ResourceBinding,
  { list, property = '' }: Use,
): Promise<readonly ProbeResponse[]> {
  if (!list || segmentsOf(list.operation.path).some(isParameter)) return []
  const plain = inLongestPage(await validRequest(list.operation, session), list)
  const filter = list.operation.parameters.find(
    (one) => one.in === 'query' && one.name === property,
  )
  const pairs = filter ? [[filter.name, idOfCreated(used, owner) ?? ''] as const] : []
  const target = withQuery(plain.target, (name) => name === filter?.name, pairs)
  return [await session.send({ ...plain, target })]
}

/** Whether a list has the record that another response shows. */
function isListed(listed: ProbeResponse, shown: ProbeResponse, { list, read }: Use): boolean {
  const id = read && idIn(recordIn(shown, read), read)
  const records = list && isSuccess(listed) ? recordsAt(listed, list) : undefined
  return (
    id !== undefined &&
    list !== undefined &&
    records?.some((one) => idIn(one, list) === id) === true
  )
}

/** The record to which a shown one refers. */
function referredIn(shown: ProbeResponse, { property = '', read }: Use): string | undefined {
  const record = read && valuesIn(recordIn(shown, read))
  return isObject(record) ? String(record[property]) : undefined
}

/** Whether a shown record is in a state. */
function isIn(shown: ProbeResponse, { read }: Use, { property, value }: StateAfter): boolean {
  const record = read && isSuccess(shown) ? valuesIn(recordIn(shown, read)) : undefined
  return isObject(record) && record[property] === value
}

function judged(
  outcome: Outcome,
  {
    after,
    owner,
    use,
    sentence,
  }: {
    readonly after: ProbeResponse
    readonly owner: string
    readonly use: Use
    readonly sentence: string
  },
): Evaluation {
  if (outcome === 'removed') return passIf(isGone(after), after, `404: "${sentence}"`)
  if (outcome === 'kept') return passIf(isSuccess(after), after, `2xx: "${sentence}"`)
  if (outcome !== 'released') {
    const { property, value } = outcome
    return passIf(isIn(after, use, outcome), after, `"${property}": "${value}": "${sentence}"`)
  }
  const expected = `another ${use.property} than ${owner}: "${sentence}"`
  return passIf(isSuccess(after) && referredIn(after, use) !== owner, after, expected)
}
