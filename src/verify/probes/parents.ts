import type { Contract, Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { normalizeName } from '../../generate/words.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { areEqual, isObject } from '../../validation/objects.ts'
import { type CheckDefinition, hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  collectionPath,
  concretePath,
  idIn,
  isItemOf,
  isOnCollection,
  isOnItem,
  itemTarget,
  pathOf,
  recordIn,
  recordsAt,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { plainCreations } from '../session/own-records.ts'
import { ENDINGS } from '../session/record-states.ts'
import { hasWords, sentencesOf } from '../session/stated-rules.ts'
import { validRequest } from '../session/valid-request.ts'
import { withValues } from '../test-data/full-body.ts'
import { sharesWord } from '../test-data/unguessable.ts'
import { isOnRecord, onAction } from './actions.ts'
import { pageAfter, readUntil } from './next-page.ts'
import { ORDER, type Probe } from './probe.ts'
import { referencesIn } from './stated-inputs.ts'
import { itemOf } from './stated-relations.ts'
import {
  creation,
  fullCreation,
  idOfCreated,
  inLongestPage,
  listBeside,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
  twoRecords,
} from './steps.ts'
import { equalFilters, valueIn } from './value-filters.ts'

/** Records below a parent: they are not those of another parent, and they are gone with theirs. */
export function parentProbes(
  { bindings, actions }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const { list, read, update, replace, remove } = bindings
  const create = bindings.create?.operation.method === 'POST' ? bindings.create : undefined
  const parent = create && parentCreation(create, contract)
  if (!create || !parent) return []
  const lists = list && isOnCollection(list.operation, create.operation) ? list : undefined
  const reads = read && isItemOf(create.operation, read.operation) ? read : undefined
  const elsewhere = read && !reads && isOnItem(create, read) ? read : undefined

  return [
    ...[lists, reads].flatMap((one) => (one ? otherParentProbe(create, parent, one) : [])),
    ...(lists ? filteredParentProbe(create, parent, lists) : []),
    ...(reads ? removedParentProbe(create, parent, reads, contract) : []),
    ...(elsewhere ? removedParentProbe(create, parent, elsewhere, contract, texts) : []),
    ...removalProbes(create, parent, lists, remove),
    ...(reads ? siblingRemovalProbe(create, parent, reads, contract) : []),
    ...[update, replace].flatMap((one) =>
      one && isItemOf(create.operation, one.operation) ? wrongChangeProbe(create, parent, one) : [],
    ),
    ...actions
      .filter((one) => isItemOf(create.operation, itemOf(one).operation))
      .map((one) => wrongChangeProbe(create, parent, one)),
  ]
}

/** The creation of the records directly above those of another creation. */
export function parentCreation(
  { operation }: ResourceBinding,
  contract: Contract,
): ResourceBinding | undefined {
  const template = recordTemplate(operation)
  if (template.length === 0) return undefined
  const above = plainCreations(contract).at(template, operation)
  const binding = above && boundTo(contract, above)

  return binding?.action === 'create' ? binding : undefined
}

/** The path of an operation below the record that the response at a place created. */
function below(
  operation: Operation,
  parent: ResourceBinding,
  before: readonly ProbeResponse[],
  at: number,
): string | undefined {
  const created = before[at]
  const id = created && idOfCreated(created, parent)
  if (!created || id === undefined) return undefined
  const above = recordTemplate(operation)
  const words = segmentsOf(operation.path).slice(above.length)
  const start = itemTarget(created, { path: `/${above.join('/')}` }, id)

  return `${start}/${words.map(encodeLiteral).join('/')}`
}

/** The most filters of a list with which it is asked below another parent. */
const MAX_FILTERS = 2

/** A list below another parent does not show a record either when a filter selects it. */
function filteredParentProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  list: ResourceBinding,
): Probe[] {
  const filters = equalFilters(list).slice(0, MAX_FILTERS)
  const name = 'lists only the records of its parent when they are filtered, too'
  const check = operationCheck(list.operation, 'parent/filtered', name, ([child, , ...all]) => {
    const found = all.filter(isSuccess)
    const [last] = found
    if (!child || !isSuccess(child) || !last) return NOT_REACHED
    const wrong = found.find((one) => isShown(child, one, create, list))
    return passIf(!wrong, wrong ?? last, 'no record of another parent')
  })
  const filtered = filters.map(
    ([{ name }, property]): Step =>
      async (session, before) => {
        const [child] = before
        const path = below(list.operation, parent, before, 1)
        if (!child || !isSuccess(child) || path === undefined) return undefined
        const value = valueIn(valuesIn(recordIn(child, create)), property)
        if (!/^(string|boolean)$/.test(typeof value)) return null
        const request = await validRequest(list.operation, session)
        const query = [[name, String(value)]] as const
        const target = withQuery(withPath(request.target, path), (one) => one === name, query)
        return inLongestPage({ ...request, target }, list)
      },
  )
  if (filters.length === 0) return []
  return [
    storyOf(ORDER.otherKey + 0.52, [creation(create), creation(parent), ...filtered], [check]),
  ]
}

/** A record below one parent is not shown below another one, which is created after it. */
function otherParentProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  shown: ResourceBinding,
): Probe {
  const isList = shown.action === 'list'
  const name = isList
    ? 'lists only the records of its parent'
    : 'finds a record below its own parent only'
  const expected = isList ? 'no record of another parent' : '404'
  const check = operationCheck(shown.operation, 'parent', name, ([child, , ...pages]) => {
    const found = pages.find((page) => !isBesideOf(child, page))
    if (!child || !isSuccess(child) || !found) return NOT_REACHED
    const wrong = pages.find(
      (page) => !isBesideOf(child, page) && isShown(child, page, create, shown),
    )
    const own = pages.find((page) => isBesideOf(child, page))
    const isMixed = own !== undefined && haveSame(own, found, shown)
    return passIf(!wrong && !isMixed, wrong ?? found, expected)
  })
  const step: Step = async (session, before) => {
    const [child] = before
    const id = child && idOfCreated(child, create)
    const path = below(create.operation, parent, before, 1)
    if (id === undefined || path === undefined) return undefined
    const request = await validRequest(shown.operation, session)
    if (!isList)
      return { ...request, target: withPath(request.target, `${path}/${encodeURIComponent(id)}`) }
    return inLongestPage({ ...request, target: withPath(request.target, path) }, shown)
  }
  const checks = isList ? [check, servedCheck(shown)] : [check]
  const steps = [fullCreation(create), creation(parent), step]
  const story = storyOf(ORDER.otherKey + 0.5, steps, checks)
  if (!isList) return story

  return {
    ...story,
    maxRequests: story.maxRequests + 1,
    send: async (session) => {
      const [child, other, first] = await story.send(session)
      if (!child || !other || !first) return []
      const next = isShown(child, first, create, shown)
        ? undefined
        : pageAfter([first], shown, session)
      const isFound = (page: ProbeResponse): boolean => isShown(child, page, create, shown)
      const pages = next ? await readUntil(session, next, shown, isFound, [first]) : [first]
      const target = withPath(first.request.target, pathOf(child.request.target))
      const own = next ? [await session.send({ ...first.request, target })] : []
      return [child, other, ...pages, ...own]
    },
  }
}

function removalProbes(
  create: ResourceBinding,
  parent: ResourceBinding,
  list: ResourceBinding | undefined,
  remove: ResourceBinding | undefined,
): Probe[] {
  if (!list || !remove || !isItemOf(create.operation, remove.operation)) return []
  return [
    otherRemovalProbe(create, parent, list, remove),
    wrongParentProbe(create, parent, list, remove),
  ]
}

/** The removal of a record removes nothing that is below another one beside it. */
function siblingRemovalProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  shown: ResourceBinding,
  contract: Contract,
): Probe[] {
  const removal = removalOf(parent, contract)
  if (!removal || !isOnItem(parent, removal) || !isOnItem(create, shown)) return []
  const name = 'removes nothing below another record'
  const check = operationCheck(removal.operation, `others/${shown.operation.id}`, name, (all) => {
    const [, , child, removed, found] = all
    const isMade = child && isSuccess(child) && removed && isSuccess(removed)
    return isMade && found
      ? passIf(isSuccess(found), found, 'the record below another one')
      : NOT_REACHED
  })
  const second: Step = async (session, before) => {
    const path = below(create.operation, parent, before, 1)
    const request = await validRequest(create.operation, session)
    const flags = { keepsParent: true, isValid: true } as const
    return path === undefined
      ? undefined
      : { ...request, target: withPath(request.target, path), ...flags }
  }
  const [first, beside] = twoRecords(parent)
  const steps = [first, beside, second, onCreated(removal, parent, 0), onCreated(shown, create, 2)]
  return [storyOf(ORDER.remove + 0.67, steps, [check])]
}

/** A removal below one parent removes nothing below another one, also where both records refer to the same. */
function otherRemovalProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  list: ResourceBinding,
  remove: ResourceBinding,
): Probe {
  const name = 'removes no record below another parent'
  const check = operationCheck(remove.operation, 'others/parent', name, (all) => {
    const [, , other, removed, listed] = all
    const id = other && idOfCreated(other, create)
    if (id === undefined || !removed || !listed || ![removed, listed].every(isSuccess))
      return NOT_REACHED
    const found = recordsAt(listed, list)
    const isThere = found?.some((one) => idIn(one, list) === id)
    return found ? passIf(isThere === true, listed, `a list with ${id}`) : NOT_REACHED
  })
  const alike: Step = async (session, before) => {
    const [first] = before
    const path = below(create.operation, parent, before, 1)
    const sent = first && isSuccess(first) ? sentRecord(first, create) : undefined
    if (path === undefined || !isObject(sent)) return undefined
    const request = await validRequest(create.operation, session)
    const changed = withValues(request, create, referencesIn(sent))
    return { ...changed, target: withPath(request.target, path), keepsParent: true, isValid: true }
  }
  const beside: Step = async (session, before) => {
    const path = below(create.operation, parent, before, 1)
    const request = await validRequest(list.operation, session)
    return path === undefined
      ? undefined
      : inLongestPage({ ...request, target: withPath(request.target, path) }, list)
  }
  const steps = [creation(create), creation(parent), alike, onCreated(remove, create, 0), beside]
  return storyOf(ORDER.remove + 0.65, steps, [check])
}

/** A removal of a record through the path of another parent, which does not have it. */
function wrongParentProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  list: ResourceBinding,
  remove: ResourceBinding,
): Probe {
  const name = 'removes no record that is below another parent than that of the path'
  const check = operationCheck(remove.operation, 'wrong-parent', name, (all) => {
    const [child, , removed, listed] = all
    const id = child && idOfCreated(child, create)
    if (id === undefined || !removed || !listed || !isSuccess(listed)) return NOT_REACHED
    const found = recordsAt(listed, list)
    if (!found) return NOT_REACHED
    const isThere = found.some((one) => idIn(one, list) === id)
    return passIf(isThere || !isSuccess(removed), removed, '404')
  })
  const elsewhere = throughOther(create, parent, remove)
  const steps = [creation(create), creation(parent), elsewhere, listBeside(list, 0)]
  return storyOf(ORDER.remove + 0.66, steps, [check])
}

/** A change of a record through the path of another parent, which does not have it. */
function wrongChangeProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  change: ResourceBinding,
): Probe {
  const name = 'changes no record that is below another parent than that of the path'
  const check = operationCheck(change.operation, 'wrong-parent', name, (all) => {
    const [child, , changed] = all
    const id = child && idOfCreated(child, create)
    if (id === undefined || !changed) return NOT_REACHED
    // PUT may create a record with the same id below the other parent.
    const isOther = changed.status === 201 || !isSuccess(changed)
    return passIf(isOther, changed, '404')
  })
  const steps = [creation(create), creation(parent), throughOther(create, parent, change)]
  return storyOf(ORDER.change + 0.95, steps, [check])
}

/** A request for a new record through the path of the second response's record, which does not have it. Both are of the run. */
function throughOther(
  create: ResourceBinding,
  parent: ResourceBinding,
  { operation }: ResourceBinding,
): Step {
  return async (session, before) => {
    const [child] = before
    const id = child && idOfCreated(child, create)
    const path = below(create.operation, parent, before, 1)
    if (id === undefined || path === undefined) return undefined
    const { isValid: _valid, ...request } = await validRequest(operation, session)
    const words = segmentsOf(operation.path).slice(recordTemplate(operation).length)
    const own = [path, encodeURIComponent(id), ...words.map(encodeLiteral)].join('/')
    const target = withPath(request.target, own)
    const place = concretePath(operation, target)?.slice(0, recordTemplate(operation).length + 1)
    if (place) session.gate.own.lend(place)
    return { ...request, target, isInvalid: true, keepsRefusal: true }
  }
}

/** A new record may have nothing below it, which is no mistake. */
function servedCheck({ operation }: ResourceBinding): CheckDefinition {
  return operationCheck(operation, 'new-parent', 'lists what is below a new record', (all) => {
    const [child, , ...pages] = all
    const found = pages.find((page) => !isBesideOf(child, page))
    return found ? hasSuccessStatus(operation, found) : NOT_REACHED
  })
}

/** Whether a response shows a created record, by the words that only the run has sent, or by an id that no other record has. */
function isShown(
  child: ProbeResponse,
  found: ProbeResponse,
  create: ResourceBinding,
  shown: ResourceBinding,
): boolean {
  if (!isSuccess(found)) return false
  const id = idOfCreated(child, create)
  const made = recordIn(child, create)
  const listed = (shown.action === 'list' && recordsAt(found, shown)) || [recordIn(found, shown)]
  // Records may be numbered below each parent.
  const isListed =
    id !== undefined &&
    listed.some((one) => idIn(one, shown) === id && (!/^\d+$/.test(id) || isAlike(one, made)))
  return isListed || sharesWord(child.request.body ?? '', found.text)
}

/** So many equal values of two records with the same number say that they are one. */
const MANY = 3

/** Whether two records are the same in all that both have, which is much. */
function isAlike(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one).filter((name) => name in other)
  return names.length >= MANY && names.every((name) => areEqual(one[name], other[name]))
}

/** Whether a list is the one in which a record was created. */
function isBesideOf(child: ProbeResponse | undefined, page: ProbeResponse): boolean {
  return child !== undefined && pathOf(page.request.target) === pathOf(child.request.target)
}

/** Whether two lists have a record in common. Records may be numbered below each parent, and alike. */
function haveSame(one: ProbeResponse, other: ProbeResponse, list: ResourceBinding): boolean {
  const [records, others] = [one, other].map((page) => recordsAt(page, list) ?? [])
  const texts = new Set(others?.map((record) => JSON.stringify(record)))
  const isNumbered = (record: unknown): boolean =>
    Number(idIn(record, list) ?? 0) <= (records?.length ?? 0)
  return (
    records?.some((record) => texts.has(JSON.stringify(record)) && !isNumbered(record)) === true
  )
}

/**
 * What was created below a removed record; only where the document has operations to remove it and a 404 for what was below. What has a
 * path of its own may stay, unless the texts say that it is removed, too.
 */
function removedParentProbe(
  create: ResourceBinding,
  parent: ResourceBinding,
  read: ResourceBinding,
  contract: Contract,
  texts?: DocumentTexts,
): Probe[] {
  const removal = removalOf(parent, contract)
  if (!removal || !documentedResponse(read.operation, 404)) return []
  if (texts && !saysToRemove(texts.operation(removal.operation.id), create)) return []
  const child = childStep(create, parent)
  const { id } = removal.operation
  const name = `does not find what was below the record that ${id} removed`
  const check = operationCheck(read.operation, `below/${id}`, name, (all) => {
    const [removed, found] = all.slice(2).slice(-2)
    return removed && found && isSuccess(removed)
      ? passIf(!isSuccess(found), found, '404')
      : NOT_REACHED
  })
  const removing = removalSteps(removal, parent, create, contract)
  const steps = [creation(parent), child, ...removing, onCreated(read, create, 1)]
  return [storyOf(ORDER.remove + 0.7, steps, [check])]
}

/** The removal of a parent; once more after an action that ends the record below it, which may be in the way. */
export function removalSteps(
  removal: ResourceBinding,
  parent: ResourceBinding,
  create: ResourceBinding,
  contract: Contract,
): readonly Step[] {
  const remove = onCreated(removal, parent, 0, (request) => ({ ...request, keepsRefusal: true }))
  const end = documentedResponse(removal.operation, 409) && endingOf(create, contract)
  if (!end) return [onCreated(removal, parent, 0)]
  const ifRefused: Step = async (session, before) =>
    before.at(-1)?.status === 409 ? await onAction(end, create, 1)(session, before) : null
  const again: Step = async (session, before) =>
    before.at(-1)?.request.operation === end.operation ? await remove(session, before) : null
  return [remove, ifRefused, again]
}

/** An action without a body that ends the records of a creation. */
function endingOf(create: ResourceBinding, contract: Contract): ResourceBinding | undefined {
  const ends = contract.operations.flatMap((one) => {
    const word = segmentsOf(one.path).at(-1) ?? ''
    const isEnding = one.method === 'POST' && !one.body && ENDINGS.test(word)
    return (isEnding && boundTo(contract, one)) || []
  })
  return ends.find((one) => isOnRecord(one, create))
}

/** The removal of the records that a creation makes. */
export function removalOf(
  parent: ResourceBinding,
  contract: Contract,
): ResourceBinding | undefined {
  const removals = contract.operations.flatMap((one) => {
    const bound = one.method === 'DELETE' ? boundTo(contract, one) : undefined
    return bound?.action === 'remove' ? [bound] : []
  })
  return (
    removals.find((one) => isItemOfSame(parent.operation, one.operation)) ??
    removals.find((one) => isOnItem(parent, one))
  )
}

/** A record below the one that the first response created. */
export function childStep(create: ResourceBinding, parent: ResourceBinding): Step {
  return async (session, before) => {
    const path = below(create.operation, parent, before, 0)
    if (path === undefined) return undefined
    const request = await validRequest(create.operation, session)
    return { ...request, target: withPath(request.target, path), isValid: true }
  }
}

/** What goes with a removed record, by words after its removal or before what becomes of it. */
const REMOVED = /\b(?:removes?|deletes?)\b(.*)/i
const WITH_IT = /(?:\b(?:with|including|and|also)\b|,)(.*)/i
const GONE =
  /^(.*?)\b(?:disappears?|vanish(?:es)?|goe?s?|(?:is|are) (?:also |then )?(?:removed|deleted|dropped|gone))\b/i
const EVERYTHING =
  /\b(?:everything|all)(?: that| which)? (?:belongs|(?:is )?(?:in|inside|below|under) it|it (?:has|contains))\b/i
const LIMITED =
  /\b(409|while|unless|without|not|never|if|but|until|after|before|first|keep\w*|stays?|remains?)\b/i

/** Whether a text says that records of a collection are removed, too: "Deletes the show with its episodes", "Its episodes go with it". */
export function saysToRemove(text: string, { operation }: ResourceBinding): boolean {
  const collection = segmentsOf(collectionPath(operation)).at(-1) ?? ''
  const name = normalizeName(collection).replaceAll('_', ' ')
  return sentencesOf(text).some((sentence) => {
    const [, removed = ''] = REMOVED.exec(sentence) ?? []
    const [, others = ''] = WITH_IT.exec(removed) ?? []
    const [, gone = ''] = GONE.exec(sentence) ?? []
    const isMeant =
      [others, gone, removedAlong(sentence)].some((part) => hasWords(part, name)) ||
      EVERYTHING.test(others)
    return isMeant && !LIMITED.test(sentence)
  })
}

/** What is removed with a record: "Removing a site removes its lockers", "Its lockers are removed, too". */
const ALONG: readonly RegExp[] = [
  /^(?:removing|deleting|the (?:removal|deletion) of|when\b.*\b(?:removed|deleted),)[^,]*?\b(?:removes?|deletes?)\b(.*)/i,
  /\b(?:removes?|deletes?) (?:all )?(?:of )?(?:its|their|his)\b(.*)/i,
  /\b((?:its|their|all|the)\b.*)\b(?:is|are) (?:also )?(?:removed|deleted)(?: along)?(?:,? (?:too|as well)\b| with (?:it|them)\b)/i,
  /^((?:all (?:of )?)?(?:its|their)\b.*)\b(?:is|are) (?:also )?(?:removed|deleted)\b/i,
]

function removedAlong(sentence: string): string {
  return ALONG.flatMap((one) => one.exec(sentence)?.[1] ?? []).join(' ')
}

function isItemOfSame(collection: Operation, one: Operation): boolean {
  const [outer, own] = [segmentsOf(collection.path), segmentsOf(one.path)]
  return isItemOf(collection, one) && outer.every((word, at) => word === own[at])
}
