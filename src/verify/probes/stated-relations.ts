import type { Contract } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { singular } from '../../resources/reference-names.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  isOnItem,
  isParameter,
  isSameTemplate,
  itemTarget,
  plainName,
  recordIn,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { membersOf, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { withValues } from '../test-data/full-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { onRecord } from './stated-conflicts.ts'
import { idOfCreated } from './steps.ts'

/** A way in which the records of another collection use those of a resource. */
export interface Use {
  /** The creation of the records that use others. */
  readonly create: ResourceBinding
  /** The action with which one uses another; absent where it does so from its creation. */
  readonly act?: ResourceBinding
  /** The property with the id of the used record; absent where they are below it. */
  readonly property?: string
  /** The names of the records that use others. */
  readonly nouns: readonly string[]
  readonly list: ResourceBinding | undefined
  readonly read: ResourceBinding | undefined
}

/** The most rules of a kind that are tried for one operation. */
export const MAX_RULES = 2

/**
 * Operations that the document forbids in words because of other records: "409 while a recipe uses the ingredient" and "409 unless it
 * has at least one line".
 */
export function statedRelationProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const users = usersIn(groups, resourcesIn(contract))
  return groups.flatMap((group) => {
    const { create, remove } = group.bindings
    if (create?.operation.method !== 'POST') return []
    const onItem = operationsOn(group)
    const items = itemTemplates(create, onItem)
    return onItem.flatMap((one) => {
      const sentences = conflictsIn(one, texts)
      const uses = sentences.length > 0 ? usesOf(create, users, items) : []
      const text = spaced(texts.operation(one.operation.id))
      const named = sentences.map((sentence) => withNames(sentence, text, uses))
      const rules = named.flatMap((sentence) => [
        ...rulesIn(sentence, uses),
        ...(one === remove ? inUseIn(sentence, uses) : []),
      ])
      return rules.slice(0, MAX_RULES).map((rule) => useProbe(create, one, rule))
    })
  })
}

/** The path templates of the records that an operation creates, and those of the operations on them. */
export function itemTemplates(
  create: ResourceBinding,
  onItem: readonly ResourceBinding[],
): readonly (readonly string[])[] {
  const own = [...segmentsOf(create.operation.path), '{id}']
  return [own, ...onItem.map((one) => recordTemplate(one.operation))]
}

/** The removal of a created record, and the actions on it. */
export function operationsOn({ bindings, actions }: BoundResource): readonly ResourceBinding[] {
  const { create, remove } = bindings
  if (!create) return []
  const acts = actions.filter((one) => isOnItem(create, itemOf(one)))
  return [...(remove && isOnItem(create, remove) ? [remove] : []), ...acts]
}

/** An operation as if it were on the record itself, and not on a word after it. */
export function itemOf(one: ResourceBinding): ResourceBinding {
  const path = `/${recordTemplate(one.operation).join('/')}`
  return { ...one, operation: { ...one.operation, path } }
}

/** What says that values are unique. A "unique identifier" is one of any record. */
export const UNIQUE: RegExp =
  /\b(is|are|be|stays?) unique\b|\bunique (within|in|per|among|for|across|below)\b|\b(occurs?|appears?|exists?) (only |at most )?once\b/

/** What makes a sentence one about a conflict. */
const CONFLICT =
  /\b409\b|\bconflict|\b(can ?not|can't|may not|must not|refused)\b|\b(is|are) not (removed|deleted|changed)\b/i

/** "At most one fare for each category; a second one is answered with 409" is about what is before it. */
const SECOND = /^(a second|another|any other|a further) one\b.*\b409\b/i

/** The sentences that say when an operation conflicts with records. Those of its 409 need no word for it. */
export function conflictsIn(
  { operation }: ResourceBinding,
  texts: DocumentTexts,
): readonly string[] {
  if (!documentedResponse(operation, 409)) return []
  const own = sentencesOf(texts.operation(operation.id)).filter(
    (one, at, all) => CONFLICT.test(one) || UNIQUE.test(one) || SECOND.test(all[at + 1] ?? ''),
  )
  return [...own, ...sentencesOf(texts.response(operation.id, 409))].map(spaced)
}

/** A collection whose records may use others. */
export interface User extends Pick<Use, 'create' | 'nouns' | 'list' | 'read'> {
  /** The path template of the record that is above them. */
  readonly above: readonly string[]
  readonly links: ReturnType<typeof linksOf>
  /** The actions that make one of its records refer to others. */
  readonly acts: readonly { readonly act: ResourceBinding; readonly links: User['links'] }[]
}

export function usersIn(
  groups: readonly BoundResource[],
  resources: readonly Resource[],
): readonly User[] {
  const linksFrom = (binding: ResourceBinding): User['links'] => {
    const schema = schemaAt(binding.operation.body?.schema ?? {}, sentPlace(binding)) ?? {}
    return linksOf({ ...binding.resource, schema }, resources)
  }
  return groups.flatMap(({ bindings: { create, list, read }, actions }) =>
    create?.operation.method === 'POST'
      ? [
          {
            ...{ create, list, read, nouns: nounsIn(create.operation.path) },
            above: recordTemplate(create.operation),
            links: linksFrom(create),
            acts: actions.map((act) => ({ act, links: linksFrom(act) })),
          },
        ]
      : [],
  )
}

/** The ways in which other records use those that an operation creates: they are below them, or refer to them. */
export function usesOf(
  used: ResourceBinding,
  users: readonly User[],
  /** The path templates of the used records. */
  items: readonly (readonly string[])[],
): readonly Use[] {
  const own = nounOf(used)
  const linkIn = (links: User['links']): string | undefined =>
    links.find(({ to }) => to === used.resource)?.property
  return users.flatMap((user): readonly Use[] => {
    const { create, list, read, nouns: all, above, links, acts } = user
    if (create === used) return []
    const use = { create, list, read, nouns: all.filter((one) => one !== own) }
    if (items.some((item) => isSameTemplate(above, item))) return [use]
    const property = linkIn(links)
    if (property !== undefined) return [{ ...use, property }]
    const action = acts.find((one) => linkIn(one.links) !== undefined)
    const acted = action && linkIn(action.links)
    return action && acted !== undefined ? [{ ...use, act: action.act, property: acted }] : []
  })
}

/** The name of one record of a collection, such as `meal plan`. */
function nounOf({ operation }: ResourceBinding): string {
  return nounsIn(operation.path).at(-1) ?? ''
}

function nounsIn(path: string): readonly string[] {
  return segmentsOf(path)
    .filter((one) => !isParameter(one))
    .map((one) => spaced(singular(one)))
}

/** An operation is refused while a record is used (`isHeld`), or while it is not. */
interface UseRule {
  readonly use: Use
  readonly isHeld: boolean
  /** What the record that uses the other one has to be, such as `active`. */
  readonly state: string | undefined
  readonly sentence: string
}

/** What is before and after the name of a record that uses another one: "has lines", "while a recipe uses the ingredient". */
const USING =
  /\b(has|have|having|with|contains?|holds?|owns?|uses?)( still)?( (an?|any|some|more))?( \w+)?$/
const USED_BY =
  /\b(while|when|if|as long as|that|which|whom)( still)?( (an?|any|some))?( \w+)?$|^(an?|any|some|one|another)( \w+)?$/
const USES =
  /^ (still )?(uses?|refers?|references?|names?|mentions?|belongs?|exists?|remains?|is|are)\b/

const IN_USE =
  /\b(in use|(is|are) (still )?(used|referenced|referred to)|has (references|dependents))\b/

/** What turns a sentence round: "409 unless it has a line". */
const INVERTED = /\b(unless|only|must(?! not))\b/

const ARTICLES =
  /^(|no|without|a|an|any|its|their|some|more|still|has|have|having|while|with|if|one|when|because|which|that|whom)$/

/** What says more of the other records than that there are any, such as "bookings in the future". */
const MORE =
  /^ (?!(in|on|at|of|below) (it|them)\b)(that|which|who|whose|in|on|at|after|before|for|with|left|due|of)\b/

/** The state that other records have to be in: "while a copy is on loan". */
const IS =
  /^ (?:is|are) (?:still )?(?!still\b|there\b|left\b|below\b|in (?:it|them)\b|(?:using|referring|linked|attached|assigned|of|for)\b)([a-z]+(?: [a-z]+){0,4})(?=\W*$|, )/

function stateIn(last: string, { before, after }: Around): string | undefined {
  // "A box that has loans is not removed" is about the box.
  const [, state] = USING.test(before) ? [] : (IS.exec(after) ?? [])
  return state ?? (ARTICLES.test(last) ? undefined : last)
}

/** What is before the name of several records of which one is enough: "while one of its orders is open". */
const ONE_OF = /\b(one|any|some) of (the|its|their)$/

/** Whether the words before a name say that it is about other records of the same collection, or about all of them. */
function isOfOthers(last: string, earlier: string): boolean {
  return /^(other|another|same|each|every|the)$/.test(last) || earlier === 'of'
}

/** "Deletes a sample with its orders. 409 as long as one of them is open": which records are meant is in another sentence. */
function withNames(sentence: string, text: string, uses: readonly Use[]): string {
  const named = uses.flatMap(({ nouns }) => nouns).find((noun) => around(text, noun))
  return named === undefined ? sentence : sentence.replace(/\bof them\b/, `of the ${named}`)
}

/** The rules about other records in a sentence. */
function rulesIn(sentence: string, uses: readonly Use[]): readonly UseRule[] {
  const isInverted = INVERTED.test(sentence)
  return uses.flatMap((use): readonly UseRule[] => {
    const found = use.nouns.flatMap((noun) => around(sentence, noun) ?? []).at(0)
    if (!found) return []
    const { before, after } = found
    const [last = '', earlier = ''] = before.split(/[^\w-]+/).reverse()
    // "Has no other vehicle" is about other records of the same collection.
    const isOneOf = ONE_OF.test(before)
    if ((isOfOthers(last, earlier) && !isOneOf) || MORE.test(after)) return []
    const isNone = /\b(no|without( any)?)( \w+)?$/.test(before)
    const isSome = /\b(at least one|one or more|(has|have|with) (an?|any))( \w+)?$/.test(before)
    const isHeld = isInverted === isNone
    const isUse = USING.test(before) || ((isOneOf || USED_BY.test(before)) && USES.test(after))
    // A new record has none.
    if (!isNone && (isHeld ? !isUse : !isSome)) return []
    return [{ use, isHeld, state: stateIn(last, found), sentence }]
  })
}

/** What is done to a record that another one uses, which is called after that: "a sponsor that is placed in an episode" has a placement. */
const DONE_TO = /\b(?:that|which|who|while it|if it) (?:is|are|has been) (?:still )?(\w{4,})ed\b/

/** A sentence that does not say which records use the other one, as in "409 while it is in use". */
function inUseIn(sentence: string, uses: readonly Use[]): readonly UseRule[] {
  if (INVERTED.test(sentence)) return []
  const [, done] = DONE_TO.exec(sentence) ?? []
  const isCalled = ({ nouns }: Use): boolean =>
    done !== undefined && nouns.some((noun) => noun.startsWith(done))
  const meant = IN_USE.test(sentence) ? uses : uses.filter(isCalled)
  return meant.slice(0, 1).map((use) => ({ use, isHeld: true, state: undefined, sentence }))
}

interface Around {
  readonly before: string
  readonly after: string
}

/** The parts of a sentence before and after the name of a record, or of several. */
export function around(sentence: string, noun: string): Around | undefined {
  const words = noun.replace(/[^\w ]/g, '.').replace(/y$/, '(?:y|ie)')
  const match = new RegExp(`(?<!\\w)${words}(?:e?s)?(?!\\w)`).exec(sentence)
  return match
    ? {
        // "Has vehicles or equipment" is about each of them.
        before: sentence
          .slice(0, match.index)
          .trim()
          .replace(/ [\w-]+ (or|nor)$/, ''),
        after: sentence.slice(match.index + match[0].length),
      }
    : undefined
}

export const NOT_USED: LeftOut = { leftOut: 'no record was created that uses another one' }

/** The operation on a new record: on one that another record uses, or on one that none does. */
function useProbe(create: ResourceBinding, binding: ResourceBinding, rule: UseRule): Probe {
  const { use, isHeld, state, sentence } = rule
  const noun = use.nouns.at(-1) ?? 'record'
  const word = noun.replaceAll(' ', '-')
  const id = isHeld ? `stated/used-by-${word}` : `stated/without-${word}`
  const name = isHeld
    ? `is refused while a ${noun} uses the record, as the description says`
    : `is refused for a record without any ${noun}, as the description says`
  const check = operationCheck(binding.operation, id, name, (all) => {
    const tried = all.find(({ request }) => request.operation === binding.operation)
    return tried ? passIf(!isSuccess(tried), tried, `409: "${sentence.trim()}"`) : NOT_USED
  })
  return {
    order: binding.action === 'remove' ? ORDER.remove + 0.4 : ORDER.change + 0.85,
    maxRequests: 4,
    creations: 2,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const plain = await creationRequest(create.operation, session)
      const used = await session.send({ ...plain, isValid: true })
      if (idOfCreated(used, create) === undefined) return [used]
      const before = isHeld
        ? await useOf(session, create, used, use)
        : await listBelow(session, create, used, use)
      const isReady = isHeld
        ? isInUse(before, use, state)
        : isEmpty(before, use) || showsNone(used, create, use)
      const request = isReady ? await onRecord(session, used, create, binding) : undefined
      return request
        ? [used, ...before, await session.send({ ...request, keepsRefusal: true })]
        : [used, ...before]
    },
  }
}

/** Makes another record use a created one. */
export async function useOf(
  session: Session,
  owner: ResourceBinding,
  used: ProbeResponse,
  { create, act, property }: Use,
): Promise<readonly ProbeResponse[]> {
  const id = idOfCreated(used, owner) ?? ''
  const request = { ...(await creationRequest(create.operation, session)), isValid: true } as const
  if (property === undefined) {
    const target = withPath(request.target, pathBelow(used, create, id))
    return [await session.send({ ...request, target, keepsParent: true })]
  }
  if (!act) {
    const referring = withReference(request, create, property, id)
    return referring ? [await session.send(referring)] : []
  }
  const user = await session.send(request)
  const action = isSuccess(user) ? await onRecord(session, user, create, act) : undefined
  const referring = action && withReference(action, act, property, id)
  return referring ? [user, await session.send({ ...referring, keepsRefusal: true })] : [user]
}

/** The path of a collection below a created record. */
export function pathBelow(
  created: ProbeResponse,
  { operation }: ResourceBinding,
  id: string,
): string {
  const template = recordTemplate(operation)
  const start = itemTarget(created, { path: `/${template.join('/')}` }, id)
  const words = segmentsOf(operation.path).slice(template.length).map(encodeLiteral)
  return [start, ...words].join('/')
}

/** The request with a reference to a record; `undefined` where the document allows none. */
export function withReference(
  request: ProbeRequest,
  binding: ResourceBinding,
  property: string,
  id: string,
): ProbeRequest | undefined {
  const number = /^\d+$/.test(id) ? [Number(id), [Number(id)]] : []
  for (const value of [id, ...number, [id]]) {
    const changed = withValues(request, binding, { [property]: value })
    if (changed.body?.includes(`"${property}":${JSON.stringify(value)}`)) return changed
  }
  return undefined
}

/** What a new record is, also where no property says so: "a member with open loans". */
const NEW = /^(open|active|current|outstanding|ongoing|running|pending|unreturned|unfinished)$/i

/** Whether the last request made a record use another one, in the state that the rule names. */
function isInUse(
  responses: readonly ProbeResponse[],
  { create }: Use,
  state: string | undefined,
): boolean {
  const last = responses.at(-1)
  if (!last || !isSuccess(last)) return false
  if (state === undefined || new RegExp(`"${state}"`, 'i').test(last.text.replaceAll('_', ' ')))
    return true
  const members = [...propertiesOf(create.resource.schema)].flatMap((one) => membersOf(...one))
  return NEW.test(state) && members.every(([value]) => value !== state.toLowerCase())
}

/** The list of what is below a created record. */
async function listBelow(
  session: Session,
  owner: ResourceBinding,
  created: ProbeResponse,
  { create, list, property }: Use,
): Promise<readonly ProbeResponse[]> {
  const id = idOfCreated(created, owner) ?? ''
  const isThere = list && property === undefined && list.operation.path === create.operation.path
  if (!isThere) return []
  const target = pathBelow(created, create, id)
  return [
    await session.send({ operation: list.operation, method: 'GET', target, credentials: 'key' }),
  ]
}

/** Whether a new record shows that it has none of the others, as an empty list of them. */
function showsNone(used: ProbeResponse, owner: ResourceBinding, { create }: Use): boolean {
  const record = valuesIn(recordIn(used, owner))
  const word = plainName(segmentsOf(create.operation.path).at(-1) ?? '')
  return (
    isObject(record) &&
    Object.entries(record).some(
      ([name, value]) => plainName(name) === word && Array.isArray(value) && value.length === 0,
    )
  )
}

/** Whether a list is there and has no records. What is only referred to may come with the creation. */
function isEmpty([listed]: readonly ProbeResponse[], { list }: Use): boolean {
  return listed !== undefined && list !== undefined && recordsAt(listed, list)?.length === 0
}
