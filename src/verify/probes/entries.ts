import type { Contract } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { type CheckDefinition, failure, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isOnCollection,
  isOnItem,
  isSameTemplate,
  lastOf,
  pathOf,
  recordsAt,
  recordTemplate,
  segmentsOf,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { memberTemplate } from '../session/item-templates.ts'
import { createAt, validRequest } from '../session/valid-request.ts'
import { saysToRemove } from './parents.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, listBeside, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** Entries below a record, each of which names a record of another collection, such as `/rehearsals/{id}/attendance/{memberId}`. */
interface Entries {
  readonly create: ResourceBinding
  readonly list: ResourceBinding
  /** The path template of the records that they name. */
  readonly member: readonly string[]
}

/** One entry is there for each record that it names: PUT replaces it, and it goes alone, or with the record that it names. */
export function entryProbes(
  { bindings: { create, list, remove } }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const member =
    create?.operation.method === 'PUT' ? memberTemplate(create.operation, contract) : undefined
  if (!create || !list || !member || !isOnCollection(list.operation, create.operation)) return []
  const entries = { create, list, member }
  return [
    replacedProbe(entries),
    ...(remove && isOnItem(create, remove) ? [removedProbe(entries, remove)] : []),
    ...removedMemberProbe(entries, contract, texts),
  ]
}

/** How many of the listed entries name the record at the end of the path of a request. */
function countIn(listed: ProbeResponse, { request }: ProbeResponse, list: ResourceBinding): number {
  const id = lastOf(pathOf(request.target))
  return (recordsAt(listed, list) ?? []).filter((one) => idIn(one, list) === id).length
}

function areDone(responses: readonly (ProbeResponse | undefined)[]): boolean {
  return responses.every((one) => one !== undefined && isSuccess(one))
}

function replacedProbe({ create, list }: Entries): Probe {
  const { operation } = create
  const again: Step = async (_session, [created]) =>
    created && isSuccess(created) ? created.request : undefined
  const isStated = [200, 204].some((status) => documentedResponse(operation, status))
  const checks: CheckDefinition[] = [
    operationCheck(list.operation, `twice/${operation.id}`, 'lists an entry once', (all) => {
      const [created, , listed] = all
      if (!areDone(all) || !created || !listed) return NOT_REACHED
      const times = countIn(listed, created, list)
      return times > 1 ? failure(listed, 'the entry once', `${times} times`) : 'passed'
    }),
  ]
  // RFC 9110, section 9.3.4: 201 is for what PUT created.
  if (isStated && documentedResponse(operation, 201))
    checks.push(
      operationCheck(operation, 'created/status', 'returns a 201 for a new entry', ([created]) =>
        created && isSuccess(created)
          ? passIf(created.status === 201, created, '201')
          : NOT_REACHED,
      ),
    )
  if (isStated)
    checks.push(
      operationCheck(operation, 'replaced/status', 'returns no 201 for a replaced entry', (all) => {
        const [created, replaced] = all
        if (!created || !replaced || !areDone([created, replaced])) return NOT_REACHED
        return passIf(replaced.status !== 201, replaced, '200 or 204')
      }),
    )
  return storyOf(ORDER.change + 0.77, [creation(create), again, listBeside(list, 0)], checks)
}

/** The entry of the same record below another one stays. */
function removedProbe({ create, list }: Entries, remove: ResourceBinding): Probe {
  const name = 'removes no entry below another record'
  const check = operationCheck(remove.operation, 'elsewhere', name, (all) => {
    const [, kept, , listed] = all
    if (!areDone(all) || !kept || !listed) return NOT_REACHED
    return passIf(countIn(listed, kept, list) > 0, listed, 'the entry that was not removed')
  })
  const steps = [
    creation(create),
    besideParent(create),
    onCreated(remove, create, 0),
    listBeside(list, 1),
  ]
  return storyOf(ORDER.remove + 0.71, steps, [check])
}

/** An entry that names the record of the first one, below a new record. */
function besideParent({ operation }: ResourceBinding): Step {
  return async (session, [created]) => {
    if (!created || !isSuccess(created)) return undefined
    const { request } = created
    const segments = segmentsOf(operation.path)
    const above = recordTemplate({ path: `/${segments.slice(0, -1).join('/')}` })
    const parent = await createAt(above, operation, session)
    const rest = segmentsOf(pathOf(request.target)).slice(above.length)
    return {
      ...request,
      target: withPath(request.target, `/${[...parent.slice(1), ...rest].join('/')}`),
    }
  }
}

/** Where the texts say that the entries of a record are removed with it. */
function removedMemberProbe(
  { create, list, member }: Entries,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const removal = contract.operations.find(
    ({ method, path }) => method === 'DELETE' && isSameTemplate(segmentsOf(path), member),
  )
  if (!removal || !saysToRemove(texts.operation(removal.id), create)) return []
  const name = `does not list the entries of what ${removal.id} removed`
  const check = operationCheck(list.operation, `named/${removal.id}`, name, (all) => {
    const [created, , listed] = all
    if (!areDone(all) || !created || !listed) return NOT_REACHED
    return passIf(countIn(listed, created, list) === 0, listed, 'a list without the entry')
  })
  const remove: Step = async (session, [created]) => {
    if (!created || !isSuccess(created)) return undefined
    const last = segmentsOf(pathOf(created.request.target)).at(-1) ?? ''
    const path = `/${[...member.slice(0, -1), last].join('/')}`
    return { ...(await validRequest(removal, session, 'key', path)), isValid: true }
  }
  const steps = [creation(create), remove, listBeside(list, 0)]
  return [storyOf(ORDER.remove + 0.72, steps, [check])]
}
