import type { Contract, Parameter } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { encodeLiteral, parseTemplate } from '../../contract/path-pattern.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { bind, type ResourceBinding } from '../../resources/bind.ts'
import { singular } from '../../resources/reference-names.ts'
import { type Evaluate, type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isGone, isSuccess, isUnauthorized, NotSent, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  idIn,
  isOnCollection,
  isOnItem,
  isSameTemplate,
  pathOf,
  plainName,
  recordsAt,
  recordTemplate,
  segmentsOf,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { itemTemplateElsewhere } from '../session/item-templates.ts'
import { plainCreations } from '../session/own-records.ts'
import type { Session } from '../session/session.ts'
import { createAt, validRequest } from '../session/valid-request.ts'
import { childStep, parentCreation, removalOf, removalSteps, saysToRemove } from './parents.ts'
import { ORDER, type Probe } from './probe.ts'
import {
  creation,
  idOfCreated,
  inLongestPage,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
} from './steps.ts'

/** A list below records, and how one of these is read. */
interface ListBelow {
  readonly list: ResourceBinding
  readonly parent: ResourceBinding
  /** The parameter with the id of the record above. */
  readonly parameter: Parameter
}

/** What says that a 404 is for a record that does not exist. */
const ABSENT =
  /\b(does not|doesn't|do not) exist\b|\bno such\b|\bthere is no\b|\b(unknown|not known)\b/i

/** The most lists that one probe reads. */
const MAX_LISTS = 10

const UNREAD: LeftOut = { leftOut: 'the list could not be read' }
const FOUND: LeftOut = { leftOut: 'the unknown record was found' }
const ALONE: LeftOut = { leftOut: 'no other list returns 404 for an unknown record' }

/**
 * Lists below a record that does not exist, as a request to read it shows first; where the document has a 404 for both. A service may list
 * nothing below what it does not know, unless its description of the 404 says otherwise, or another of its lists returns the 404.
 */
export function absentParentProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  const all = bind(contract).flatMap((one) =>
    one.action === 'list' ? listBelow(one, contract, texts) : [],
  )
  const parts = Array.from({ length: Math.ceil(all.length / MAX_LISTS) }, (_, at) =>
    all.slice(at * MAX_LISTS, (at + 1) * MAX_LISTS),
  )
  return parts.map((lists) => ({
    order: ORDER.readAbsent + 0.5,
    maxRequests: 2 * lists.length,
    checks: lists.flatMap((one) => {
      const { operation } = one.list
      const name = `returns 404 for an unknown ${one.parameter.name}`
      const isStated = ABSENT.test(texts.anyResponse(operation.id, 404))
      const own = isStated ? {} : ({ decision: true } as const)
      const like = `${name}, as other lists do`
      return [
        operationCheck(operation, 'absent-parent', name, ownList(one), own),
        ...(isStated
          ? []
          : [operationCheck(operation, 'absent-parent/alike', like, alikeList(one))]),
      ]
    }),
    send: async (session) => {
      const responses: ProbeResponse[] = []
      for (const one of lists) responses.push(...(await readBelow(one, session).catch(orNone)))
      return responses
    },
  }))
}

/** A list for which there is no valid request keeps no other one from being read. */
function orNone(error: unknown): readonly ProbeResponse[] {
  if (error instanceof NotSent) return []
  throw error
}

/** Whether a list returns 404. The response before it is that of the record above. */
function ownList({ list: { operation } }: ListBelow): Evaluate {
  return (all) => {
    const at = all.findIndex(({ request }) => request.operation === operation)
    const [parent, listed] = [all[at - 1], all[at]]
    if (!parent || !listed) return UNREAD
    return isGone(parent) ? passIf(isGone(listed), listed, '404') : FOUND
  }
}

function alikeList(one: ListBelow): Evaluate {
  const { operation } = one.list
  return (all, records) => {
    const isOther = all.some(
      (other, at) => at % 2 === 1 && other.request.operation !== operation && isGone(other),
    )
    return isOther ? ownList(one)(all, records) : ALONE
  }
}

function listBelow(
  list: ResourceBinding,
  contract: Contract,
  texts: DocumentTexts,
): readonly ListBelow[] {
  const { operation, resource } = list
  const template = recordTemplate(operation)
  const name = /^\{(.+)\}$/.exec(template.at(-1) ?? '')?.[1]
  const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name)
  if (!parameter || !documentedResponse(operation, 404)) return []
  const isStated = ABSENT.test(texts.anyResponse(operation.id, 404))
  if (!isStated && !resource.parents?.includes(parameter.name)) return []
  const above = contract.operations.find(
    (one) => one.method === 'GET' && isSameTemplate(segmentsOf(one.path), template),
  )
  const parent = above && boundTo(contract, above)
  const isCreated = plainCreations(contract).at(template, operation) !== undefined
  const isRead = parent?.action === 'read' && documentedResponse(parent.operation, 404)

  return isCreated && isRead ? [{ list, parent, parameter }] : []
}

/** Reads a record that does not exist, and the list below it. */
async function readBelow(
  { list: { operation: list }, parent, parameter }: ListBelow,
  session: Session,
): Promise<readonly ProbeResponse[]> {
  const id = session.gate.ids.newId(parameter.schema, parameter.validate)
  if (id === undefined) return []
  const template = recordTemplate(list)
  const request = await validRequest(list, session)
  const segments = pathOf(request.target).split('/').slice(1)
  const path = [...segments.slice(0, template.length - 1), encodeURIComponent(id)]
  const read = await validRequest(parent.operation, session)
  const target = `/${path.join('/')}`
  const above = await session.send({ ...read, target, isInvalid: true })
  const rest = segmentsOf(list.path).slice(template.length)
  const below = `/${[...path, ...rest.map(encodeLiteral)].join('/')}`
  const listed = { ...request, target: withPath(request.target, below), isInvalid: true } as const

  return [above, await session.send(listed)]
}

/** What is created below a record that is removed, as a request to read it shows first; where the document has a 404 for both. */
export function removedParentProbes(
  { bindings: { create, list } }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const parent = create?.operation.method === 'POST' && parentCreation(create, contract)
  const removal = parent && removalOf(parent, contract)
  if (!create || !parent || !removal || !documentedResponse(create.operation, 404)) return []
  const above = contract.operations.find(
    (one) =>
      one.method === 'GET' &&
      isSameTemplate(segmentsOf(one.path), recordTemplate(create.operation)) &&
      documentedResponse(one, 404),
  )
  const read = above && boundTo(contract, above)
  if (read?.action !== 'read') return []
  const isStated = ABSENT.test(texts.anyResponse(create.operation.id, 404))
  const name = 'creates nothing below a record that is removed'
  const check = operationCheck(create.operation, 'removed-parent', name, (all) => {
    const [, removed, gone, created] = all
    if (!removed || !gone || !created || !isSuccess(removed)) return UNREAD
    const isOther = isUnauthorized(created) || (!isStated && created.status < 500)
    return passIf(isGone(created) || (isOther && !isSuccess(created)), created, '404')
  })
  const child: Step = async (session, before) => {
    const isReady = before[2] !== undefined && isGone(before[2])
    const request = isReady ? await childStep(create, parent)(session, before) : undefined
    return request && { ...request, keepsParent: true, keepsRefusal: true, isInvalid: true }
  }
  const steps = [creation(parent), onCreated(removal, parent, 0), onCreated(read, parent, 0), child]
  // What has a path of its own may stay.
  const isBelow = itemTemplateElsewhere(contract, create.operation) === undefined
  const isBeside = list && isBelow && isOnCollection(list.operation, create.operation)
  return [
    storyOf(ORDER.remove + 0.72, steps, [check]),
    ...(isBeside && documentedResponse(list.operation, 404)
      ? [removedListProbe({ create, parent, removal, read, list }, texts)]
      : []),
  ]
}

/** The list of what was below a record that is removed. It may be empty where no text says that the 404 is about the record above. */
function removedListProbe(
  bindings: Readonly<Record<'create' | 'parent' | 'removal' | 'read' | 'list', ResourceBinding>>,
  texts: DocumentTexts,
): Probe {
  const { create, parent, removal, read, list } = bindings
  const name = 'lists nothing below a record that is removed'
  const isStated = ABSENT.test(texts.anyResponse(list.operation.id, 404))
  const check = operationCheck(list.operation, 'removed-parent', name, (all) => {
    const [, made, removed, gone, listed] = all
    if (!made || !removed || !gone || !listed || ![made, removed].every(isSuccess)) return UNREAD
    const isEmpty = !isStated && recordsAt(listed, list)?.length === 0
    return passIf(isGone(listed) || isEmpty, listed, '404')
  })
  const listing: Step = async (session, before) => {
    const [, made, , gone] = before
    if (!made || !gone || !isGone(gone)) return undefined
    const request = await validRequest(list.operation, session)
    return { ...request, target: withPath(request.target, pathOf(made.request.target)) }
  }
  const steps = [
    creation(parent),
    childStep(create, parent),
    onCreated(removal, parent, 0),
    onCreated(read, parent, 0),
    listing,
  ]
  return storyOf(ORDER.remove + 0.73, steps, [check])
}

/** What is two records below another one is not found below any other of these: a service may read only the last ids of a path. */
export function otherAncestorProbes({ bindings: { create, read, list } }: BoundResource): Probe[] {
  const template = create ? recordTemplate(create.operation) : []
  if (create?.operation.method !== 'POST' || template.length < 4) return []
  const isAt = ({ operation }: ResourceBinding): boolean =>
    isSameTemplate(recordTemplate(operation).slice(0, template.length), template)
  const shown = [read, list].flatMap((one) => (one && isAt(one) ? [one] : []))
  return shown.flatMap((one) => {
    if (!documentedResponse(one.operation, 404)) return []
    const name = 'finds nothing below a record that is below another one than that of the path'
    const check = operationCheck(one.operation, 'ancestor', name, ([created, found]) => {
      if (!created || !found || !isSuccess(created)) return UNREAD
      const isEmpty = one.action === 'list' && recordsAt(found, one)?.length === 0
      return passIf(!isSuccess(found) || isEmpty, found, '404')
    })
    const elsewhere: Step = async (session, before) => {
      const [created] = before
      const id = created && idOfCreated(created, create)
      if (!created || id === undefined) return undefined
      const other = await createAt(template.slice(0, 2), create.operation, session)
      const own = pathOf(created.request.target).split('/').slice(3)
      const item = one.action === 'list' ? [] : [encodeURIComponent(id)]
      const path = ['', ...other.slice(1), ...own, ...item].join('/')
      const request = await validRequest(one.operation, session)
      return { ...request, target: withPath(request.target, path), isInvalid: true }
    }
    return [storyOf(ORDER.otherKey + 0.6, [creation(create), elsewhere], [check])]
  })
}

/** A list of the records of all parents, such as `/lines` for those of `/orders/{order}/lines`. */
function listsOfAll(groups: readonly BoundResource[]): ReadonlyMap<string, ResourceBinding> {
  const lists = groups.flatMap(({ bindings: { list } }) => {
    const [word, ...rest] = list ? segmentsOf(list.operation.path) : []
    return list && word !== undefined && rest.length === 0 ? [[word, list] as const] : []
  })
  return new Map(lists)
}

/** The list of all parents that shows what an operation creates below one, with the same properties. */
function listOfAll(
  { operation, resource }: ResourceBinding,
  lists: ReadonlyMap<string, ResourceBinding>,
): ResourceBinding | undefined {
  const list = lists.get(segmentsOf(operation.path).at(-1) ?? '')
  if (operation.method !== 'POST' || !list || recordTemplate(operation).length === 0)
    return undefined
  const [own, shown] = [resource, list.resource].map(({ schema }) => [
    ...propertiesOf(schema).keys(),
  ])
  return own?.join() === shown?.join() ? list : undefined
}

/** What is created below a parent is gone from the list of all parents when it is removed, or when its parent is removed with it. */
export function removedElsewhereProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const lists = listsOfAll(groups)
  return groups.flatMap(({ bindings: { create, remove } }) => {
    const list = create && listOfAll(create, lists)
    if (!create || !list) return []
    const parent = parentCreation(create, contract)
    const removal = parent && removalOf(parent, contract)
    const isRemoved = removal && saysToRemove(texts.operation(removal.operation.id), create)
    return [
      ...(remove && isOnItem(create, remove) ? [elsewhereProbe(create, list, remove)] : []),
      ...(isRemoved
        ? [
            elsewhereProbe(create, list, removal, {
              parent,
              removing: removalSteps(removal, parent, create, contract),
            }),
          ]
        : []),
    ]
  })
}

/** The creation of the record that is removed, and the requests that remove it. */
interface RemovedOwner {
  readonly parent: ResourceBinding
  readonly removing: readonly Step[]
}

/** Without an owner, the listed record is removed itself. */
function elsewhereProbe(
  create: ResourceBinding,
  list: ResourceBinding,
  remove: ResourceBinding,
  owner?: RemovedOwner,
): Probe {
  const { parent, removing = [onCreated(remove, create, 0)] } = owner ?? {}
  const { id: by } = remove.operation
  const name = parent ? `does not list what ${by} removed, too` : `does not list what ${by} removed`
  const check = operationCheck(
    list.operation,
    `after/${by}`,
    name,
    ([created, , removed, after]) => {
      const id = created && idOfCreated(created, create)
      if (!removed || !after || id === undefined || ![removed, after].every(isSuccess))
        return NOT_REACHED
      if (removed.status === 202) return NOT_REACHED
      return passIf(!hasId(after, list, id), after, `a list without ${id}`)
    },
  )
  const story = storyOf(
    0,
    parent ? [creation(parent), childStep(create, parent)] : [creation(create)],
    [],
  )
  return {
    order: ORDER.remove + 0.75,
    maxRequests: 8,
    creations: 2,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const made = await story.send(session)
      const created = made.at(-1)
      const id = created && idOfCreated(created, create)
      if (!created || id === undefined || made.length < (parent ? 2 : 1)) return []
      const before = await pageWith(session, created, id, list)
      const removed = before && (await sendSteps(session, removing, made)).at(-1)
      if (!before || !removed) return []
      return [created, before, removed, await session.send(before.request)]
    },
  }
}

/** The responses to further requests after those of a story. */
async function sendSteps(
  session: Session,
  steps: readonly Step[],
  before: readonly ProbeResponse[],
): Promise<readonly ProbeResponse[]> {
  const responses = [...before]
  for (const step of steps) {
    const request = await step(session, responses)
    if (request) responses.push(await session.send(request))
  }
  return responses.slice(before.length)
}

function hasId(page: ProbeResponse, list: ResourceBinding, id: string): boolean {
  return recordsAt(page, list)?.some((one) => idIn(one, list) === id) === true
}

/** The page of a list that has a new record: the longest one, or that of the records of its parent. */
async function pageWith(
  session: Session,
  created: ProbeResponse,
  id: string,
  list: ResourceBinding,
): Promise<ProbeResponse | undefined> {
  const plain = inLongestPage(await validRequest(list.operation, session), list)
  const first = await session.send(plain)
  if (hasId(first, list, id)) return first
  const { operation, target } = created.request
  const at = segmentsOf(operation?.path ?? '').length - 2
  const name = parseTemplate(operation?.path ?? '').names.at(-1) ?? ''
  const above = singular(segmentsOf(operation?.path ?? '')[at - 1] ?? '')
  const names = [name, `${above}${name}`, `${above}id`].map(plainName)
  const filter = list.operation.parameters.find(
    (one) => one.in === 'query' && names.includes(plainName(one.name)),
  )
  const parent = segmentsOf(pathOf(target))[at]
  if (!filter || parent === undefined) return undefined
  const filtered = withQuery(plain.target, (one) => one === filter.name, [[filter.name, parent]])
  const found = await session.send({ ...plain, target: filtered })
  return hasId(found, list, id) ? found : undefined
}
