import { parseTemplate } from '../../contract/path-pattern.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { operationCheck } from '../checks/check.ts'
import { hasStatus, hasSuccessStatus, isSuccess } from '../checks/evaluate.ts'
import { isRemoved } from '../checks/is-removed.ts'
import { hasAbsence } from '../checks/story-checks.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { idIn, isItemOf, itemTarget, recordsAt } from '../requests/record-address.ts'
import type { Session } from '../requests/session.ts'
import { validRequest } from '../requests/valid-request.ts'
import type { BoundResource } from '../resource-operations.ts'
import { unknownIds } from '../test-data/parameter-values.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** Reads a listed record of a resource below a parent, in envelopes, or with ids of its own, and one that does not exist. */
export function readingProbes({ bindings: { list, read } }: BoundResource): Probe[] {
  if (!read) return []
  const isListed = list && isItemOf(list.operation, read.operation)

  return [...(isListed ? [listedProbe(list, read)] : []), ...absentProbe(read)]
}

function listedProbe(list: ResourceBinding, read: ResourceBinding): Probe {
  const { operation } = read
  return {
    order: ORDER.readListed,
    maxRequests: 2,
    checks: [
      operationCheck(operation, 'listed', 'finds a listed record', ([, found]) => {
        if (!found) return { leftOut: 'no record is listed whose id is known' }
        if (isRemoved(operation, found.time)) return { leftOut: 'the operation is removed' }
        return hasSuccessStatus(operation, found)
      }),
    ],
    send: (session) => listAndRead(session, list, read),
  }
}

async function listAndRead(
  session: Session,
  list: ResourceBinding,
  read: ResourceBinding,
): Promise<ProbeResponse[]> {
  const request = { ...(await validRequest(list.operation, session)), isValid: true as const }
  const listed = await session.send(request)
  const [first] = (isSuccess(listed) && recordsAt(listed, list)) || []
  const id = idIn(first, list)
  if (id === undefined) return [listed]
  const valid = await validRequest(read.operation, session)
  const target = withPath(valid.target, itemTarget(listed, read.operation, id))

  return [listed, await session.send({ ...valid, target, isValid: true })]
}

/** A valid id without a record; only where the document has a 404, and the id is the last segment of the path. */
function absentProbe(read: ResourceBinding): Probe[] {
  const { operation } = read
  const name = parseTemplate(operation.path).names.at(-1)
  const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name)
  const id = parameter && unknownIds(parameter).absent.find((one) => parameter.validate(one))
  if (id === undefined || !operation.path.endsWith(`/{${name}}`) || !hasAbsence(read)) return []

  return [
    {
      order: ORDER.readAbsent,
      maxRequests: 1,
      checks: [
        operationCheck(
          operation,
          `absent=${id}`,
          `returns 404 for the unknown id ${id}`,
          hasStatus(404, 410),
        ),
      ],
      send: async (session) => {
        const valid = await validRequest(operation, session)
        const [path = ''] = valid.target.split('?')
        const target = withPath(valid.target, path.replace(/[^/]*$/, encodeURIComponent(id)))
        return [await session.send({ ...valid, target, isInvalid: true })]
      },
    },
  ]
}

/** A target with another path and the same query. */
function withPath(target: string, path: string): string {
  const [, query] = target.split('?')
  return query === undefined ? path : `${path}?${query}`
}
