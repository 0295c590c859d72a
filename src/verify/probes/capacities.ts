import type { Contract } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  isOnItem,
  isSameTemplate,
  recordTemplate,
  segmentsOf,
  sentPlace,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { ENDINGS } from '../session/record-states.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { recordSchema, withValues } from '../test-data/full-body.ts'
import { isNumber, keyword } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction, onRecord } from './stated-conflicts.ts'
import { itemOf, pathBelow, withReference } from './stated-relations.ts'
import { idOfCreated, NOT_REACHED } from './steps.ts'

/** What says that a number of a record limits how many others there are: "409 if it has as many registrations as its capacity". */
const FULL =
  /\b(full|as many|more than|exceed\w*|reached|used up|sold out|no (more|free|further)|left)\b/i

/** A record with room for one other, where the document says that a number of it is the most: the second one is refused. */
export function capacityProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap(({ bindings: { create } }) => {
    if (create?.operation.method !== 'POST' || !documentedResponse(create.operation, 409)) return []
    const { id } = create.operation
    const said = [...sentencesOf(texts.operation(id)), ...sentencesOf(texts.response(id, 409))]
    const full = said.filter((one) => FULL.test(one)).map(spaced)
    const limited = full.length > 0 ? ownersOf(create, groups, contract) : []
    return limited.flatMap((one) => {
      const limits = [...propertiesOf(recordSchema(one.owner))].filter(
        ([name, schema]) =>
          isNumber(schema) &&
          (keyword(schema, 'minimum') ?? 0) <= 1 &&
          full.some((sentence) => hasWords(sentence, spaced(name))),
      )
      return limits.slice(0, 1).map(([name]) => capacityProbe(one, create, name))
    })
  })
}

/** A record that has others: below it, or by the `property` of these. */
interface Owner {
  readonly group: BoundResource
  readonly owner: ResourceBinding
  readonly property?: string
}

function ownersOf(
  create: ResourceBinding,
  groups: readonly BoundResource[],
  contract: Contract,
): readonly Owner[] {
  const above = recordTemplate(create.operation)
  const schema = schemaAt(create.operation.body?.schema ?? {}, sentPlace(create)) ?? {}
  const links = linksOf({ ...create.resource, schema }, resourcesIn(contract))
  return groups.flatMap((group): readonly Owner[] => {
    const { create: owner, read } = group.bindings
    if (owner?.operation.method !== 'POST' || owner === create) return []
    const item = read && isOnItem(owner, read) ? segmentsOf(read.operation.path) : []
    if (above.length > 0 && isSameTemplate(item, above)) return [{ group, owner }]
    const property = links.find(({ to }) => to === owner.resource)?.property
    return property === undefined ? [] : [{ group, owner, property }]
  })
}

function capacityProbe(limited: Owner, create: ResourceBinding, name: string): Probe {
  const { operation } = create
  const { group, owner } = limited
  // A record may have to be open before others can be created below it.
  const starting = group.actions
    .filter((one) => !one.operation.body?.required && isOnItem(owner, itemOf(one)))
    .filter((one) => !ENDINGS.test(segmentsOf(one.operation.path).at(-1) ?? ''))
  const text = `is refused when there is one already, and ${name} is 1`
  const check = operationCheck(operation, `stated/${name}=1`, text, (all) => {
    const [first, second] = all.filter(({ request }) => request.operation === operation)
    if (!first || !second || !isSuccess(first)) return NOT_REACHED
    return passIf(!isSuccess(second), second, '409, as the description says')
  })
  return {
    order: ORDER.change + 0.87,
    maxRequests: 4 + 2 * starting.length,
    creations: 2,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const plain = await creationRequest(owner.operation, session)
      const only = withValues(plain, owner, { [name]: 1 })
      if (!only.body?.includes(`"${name}":1`)) return []
      const above = await session.send({ ...only, isValid: true })
      const id = idOfCreated(above, owner)
      if (id === undefined) return [above]
      const send = (flags: { readonly keepsRefusal?: true } = {}): Promise<ProbeResponse> =>
        createdFor(session, { above, id, property: limited.property }, create, flags)
      let first = await send()
      for (const action of starting) {
        if (first.status !== 409) break
        const acting = await onRecord(session, above, owner, action)
        if (acting) await session.states.prepare(acting)
        await doAction(session, above, owner, action, { keepsRefusal: true })
        first = await send()
      }
      return isSuccess(first) ? [above, first, await send({ keepsRefusal: true })] : [above, first]
    },
  }
}

/** Another record below one, or one that refers to it, and to nothing else that an earlier one refers to. */
async function createdFor(
  session: Session,
  {
    above,
    id,
    property,
  }: { readonly above: ProbeResponse; readonly id: string; readonly property: string | undefined },
  create: ResourceBinding,
  flags: { readonly keepsRefusal?: true },
): Promise<ProbeResponse> {
  const { operation } = create
  const first = await creationRequest(operation, session)
  if (property === undefined) {
    const target = withPath(first.target, pathBelow(above, create, id))
    return await session.send({ ...first, target, isValid: true, keepsParent: true, ...flags })
  }
  const isRenewed = session.renewReferences(await session.references.inRequest(first))
  const request = isRenewed ? await creationRequest(operation, session) : first
  const linked = await session.references.inRequest(request)
  const referring = withReference(linked, create, property, id) ?? linked
  return await session.send({ ...referring, isValid: true, isRepeated: true, ...flags })
}
