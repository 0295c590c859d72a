import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest } from '../messages.ts'
import type { BoundResource } from '../resource-operations.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, idOfCreated, NOT_REACHED, storyOf } from './steps.ts'

/** The header of a request that a client may send again without a second effect. */
const KEY = /^(x-)?idempotency-key$/i

/** The same creation twice, with the same key: it creates one record only. */
export function idempotencyProbes({ bindings: { create } }: BoundResource): Probe[] {
  const header = create?.operation.parameters.find(
    ({ in: place, name }) => place === 'header' && KEY.test(name),
  )
  if (!create || !header || create.operation.method !== 'POST') return []
  const name = 'creates one record for two requests with the same key'
  const check = operationCheck(
    create.operation,
    'idempotency-key',
    name,
    ([first, second]) => {
      const id = first && idOfCreated(first, create)
      if (!second || id === undefined) return NOT_REACHED
      // A service may refuse the second request, because the first one is done.
      if (!isSuccess(second)) return { leftOut: 'the second request was refused' }
      return passIf(idOfCreated(second, create) === id, second, `the record ${id} again`)
    },
    { clause: `OpenAPI, ${header.name}` },
  )
  const again = creation(
    create,
    (_request, [first]) =>
      first && isSuccess(first) ? { ...first.request, isExact: true } : undefined,
    0,
  )
  const first = creation(create, (request) => withKey(request, header.name))
  return [storyOf(ORDER.largeInteger + 0.2, [first, again], [check])]
}

function withKey(request: ProbeRequest, name: string): ProbeRequest {
  const others = (request.headers ?? []).filter(([one]) => one.toLowerCase() !== name.toLowerCase())
  return { ...request, headers: [...others, [name, unguessableWord()]] }
}
