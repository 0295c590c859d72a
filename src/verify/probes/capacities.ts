import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  isOnItem,
  isSameTemplate,
  itemTarget,
  recordTemplate,
  segmentsOf,
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
import { doAction } from './stated-conflicts.ts'
import { itemOf } from './stated-relations.ts'
import { idOfCreated, NOT_REACHED } from './steps.ts'

/** What says that a number of a record limits how many others there are: "409 if it has as many registrations as its capacity". */
const FULL =
  /\b(full|as many|more than|exceed\w*|reached|used up|sold out|no (more|free|further)|left)\b/i

/** A record with room for one other, where the document says that a number of it is the most: the second one is refused. */
export function capacityProbes(groups: readonly BoundResource[], texts: DocumentTexts): Probe[] {
  return groups.flatMap(({ bindings: { create } }) => {
    if (create?.operation.method !== 'POST' || !documentedResponse(create.operation, 409)) return []
    const above = recordTemplate(create.operation)
    const owner = groups.find(({ bindings: { create: own, read } }) => {
      const item = read && isOnItem(own ?? read, read) ? segmentsOf(read.operation.path) : []
      return own?.operation.method === 'POST' && above.length > 0 && isSameTemplate(item, above)
    })
    if (!owner?.bindings.create) return []
    const { id } = create.operation
    const said = [...sentencesOf(texts.operation(id)), ...sentencesOf(texts.response(id, 409))]
    const full = said.filter((one) => FULL.test(one))
    const limits = [...propertiesOf(recordSchema(owner.bindings.create))].filter(
      ([name, schema]) =>
        isNumber(schema) &&
        (keyword(schema, 'minimum') ?? 0) <= 1 &&
        full.some((one) => hasWords(spaced(one), spaced(name))),
    )
    return limits.slice(0, 1).flatMap(([name]) => capacityProbe(owner, create, name))
  })
}

function capacityProbe(group: BoundResource, create: ResourceBinding, name: string): Probe[] {
  const { operation } = create
  const owner = group.bindings.create
  if (!owner) return []
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
  const probe: Probe = {
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
        createdBelow(session, above, id, create, flags)
      let first = await send()
      for (const action of starting) {
        if (first.status !== 409) break
        await doAction(session, above, owner, action, { keepsRefusal: true })
        first = await send()
      }
      return isSuccess(first) ? [above, first, await send({ keepsRefusal: true })] : [above, first]
    },
  }
  return [probe]
}

/** Another record below one. */
async function createdBelow(
  session: Session,
  above: ProbeResponse,
  id: string,
  create: ResourceBinding,
  flags: { readonly keepsRefusal?: true },
): Promise<ProbeResponse> {
  const { operation } = create
  const template = recordTemplate(operation)
  const words = segmentsOf(operation.path).slice(template.length)
  const target = [itemTarget(above, { path: `/${template.join('/')}` }, id), ...words].join('/')
  const request = await creationRequest(operation, session)
  return await session.send({
    ...request,
    target: withPath(request.target, target),
    ...{ isValid: true, keepsParent: true },
    ...flags,
  })
}
