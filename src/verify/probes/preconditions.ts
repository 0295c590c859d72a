import type { Operation } from '../../contract/contract.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { type CheckDefinition, hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnItem } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { needsVersion, withVersion } from '../session/versions.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** An entity tag that no version of a record has. */
const STALE = '"verify-no-such-version"'

/**
 * Versions of records (RFC 9110, sections 8.8 and 13): the `ETag` changes with the record, a change with an outdated one is refused and
 * not done, and a read with the current one has no body.
 */
export function preconditionProbes({ bindings }: BoundResource): Probe[] {
  const { create } = bindings
  const onItem = (binding: ResourceBinding | undefined): ResourceBinding | undefined =>
    binding && create && isOnItem(create, binding) ? binding : undefined
  const read = onItem(bindings.read)
  if (!create || !read) return []
  const [update, replace, remove] = [bindings.update, bindings.replace, bindings.remove].map(onItem)
  const change = update ?? replace

  return [
    ...(change ? versionProbe(create, read, change) : []),
    ...notModifiedProbe(create, read),
    ...[update, replace, remove].flatMap((one) =>
      one ? [...matchProbe(create, read, one), ...noMatchProbe(create, read, one)] : [],
    ),
  ]
}

function hasETag({ responses }: Operation): boolean {
  return responses.some(
    ({ status, headers = [] }) =>
      status < 300 && headers.some(({ name }) => name.toLowerCase() === 'etag'),
  )
}

function has({ responses }: Operation, wanted: number): boolean {
  return responses.some(({ status }) => status === wanted)
}

/** Whether a header is one of the parameters of an operation. */
function takes({ parameters }: Operation, header: string): boolean {
  return parameters.some(
    ({ in: location, name }) => location === 'header' && name.toLowerCase() === header,
  )
}

function withHeader(request: ProbeRequest, name: string, value: string): ProbeRequest {
  const others = (request.headers ?? []).filter(([one]) => one.toLowerCase() !== name.toLowerCase())
  return { ...request, headers: [...others, [name, value]] }
}

/** The record is read, changed, and read again: another record has another version. */
function versionProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
): Probe[] {
  if (!hasETag(read.operation)) return []
  const name = `has another ETag after ${change.operation.id} changed the record`
  const check = operationCheck(
    read.operation,
    `etag/${change.operation.id}`,
    name,
    ([, before, changed, after]) => {
      if (!(before && changed && after) || ![before, changed, after].every(isSuccess))
        return NOT_REACHED
      const [first, second] = [before, after].map(({ headers }) => headers.get('ETag'))
      if (!first || !second || before.text === after.text)
        return { leftOut: 'the record did not change, or has no ETag' }
      return passIf(first !== second, after, 'another ETag than before', `ETag: ${second}`)
    },
    { clause: 'RFC 9110, section 8.8.3' },
  )
  const steps = [
    creation(create),
    onCreated(read, create, 0),
    withCurrentVersion(
      onCreated(change, create, 0, (one) => withValues(one, change, fullValues(change))),
      1,
    ),
    onCreated(read, create, 0),
  ]
  return [storyOf(ORDER.change + 0.7, steps, [check])]
}

/** The request of a step with the version that an earlier response shows. */
function withCurrentVersion(step: Step, at: number): Step {
  return async (session, before) => {
    const request = await step(session, before)
    const tag = before[at]?.headers.get('ETag')
    return request && tag ? withVersion(request, tag) : request
  }
}

/** A read with the current version; only where the document has a 304. */
function notModifiedProbe(create: ResourceBinding, read: ResourceBinding): Probe[] {
  const { operation } = read
  if (!hasETag(operation) || !has(operation, 304) || !takes(operation, 'if-none-match')) return []
  const name = 'returns 304 for the current ETag in If-None-Match'
  const check = operationCheck(
    operation,
    'if-none-match',
    name,
    ([, first, again]) =>
      first && again && isSuccess(first) ? passIf(again.status === 304, again, '304') : NOT_REACHED,
    { clause: 'RFC 9110, section 13.1.2' },
  )
  const step: Step = async (session, before) => {
    const tag = before[1]?.headers.get('ETag')
    const request = tag ? await onCreated(read, create, 0)(session, before) : undefined
    return request && tag ? withHeader(request, 'If-None-Match', tag) : undefined
  }
  return [
    storyOf(ORDER.readListed + 0.5, [creation(create), onCreated(read, create, 0), step], [check]),
  ]
}

/** A change or removal of an outdated version; only where the document has `If-Match` and a 412. */
function matchProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
): Probe[] {
  const { operation, action } = change
  if (!takes(operation, 'if-match') || !has(operation, 412)) return []
  const values = (request: ProbeRequest): ProbeRequest =>
    operation.body ? withValues(request, change, fullValues(change)) : request
  const steps = [
    creation(create),
    onCreated(read, create, 0),
    onCreated(change, create, 0, (one) => withVersion(values(one), STALE)),
    onCreated(read, create, 0),
    withCurrentVersion(onCreated(change, create, 0, values), 3),
  ]
  const order = action === 'remove' ? ORDER.remove + 0.4 : ORDER.change + 0.8

  return [storyOf(order, steps, matchChecks(change, read))]
}

/** A change or removal of no version; only where the document has a 428 (RFC 6585, section 3). */
function noMatchProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
): Probe[] {
  const { operation, action } = change
  if (!needsVersion(operation) || !has(operation, 428)) return []
  const name = 'refuses a request without If-Match with a 428'
  const check = operationCheck(
    operation,
    'if-match/missing',
    name,
    ([, before, refused]) =>
      before && refused && isSuccess(before)
        ? passIf(refused.status === 428, refused, '428')
        : NOT_REACHED,
    { clause: 'RFC 6585, section 3' },
  )
  const steps = [
    creation(create),
    onCreated(read, create, 0),
    onCreated(change, create, 0, (one) => withVersion(one, undefined)),
  ]
  const order = action === 'remove' ? ORDER.remove + 0.4 : ORDER.change + 0.8

  return [storyOf(order, steps, [check])]
}

function matchChecks({ operation }: ResourceBinding, read: ResourceBinding): CheckDefinition[] {
  const clause = { clause: 'RFC 9110, section 13.1.1' }
  const isRead = (response: ProbeResponse | undefined): response is ProbeResponse =>
    response !== undefined && isSuccess(response)
  return [
    operationCheck(
      operation,
      'if-match',
      'refuses an outdated ETag in If-Match with a 412',
      ([, before, refused]) =>
        isRead(before) && refused ? passIf(refused.status === 412, refused, '412') : NOT_REACHED,
      clause,
    ),
    operationCheck(
      operation,
      'if-match/kept',
      'does nothing for an outdated ETag in If-Match',
      ([, before, refused, after]) => {
        if (!isRead(before) || !after || refused?.status !== 412) return NOT_REACHED
        return passIf(after.text === before.text, after, 'the same record as before')
      },
      clause,
    ),
    ...(hasETag(read.operation)
      ? [
          operationCheck(
            operation,
            'if-match/current',
            'accepts the current ETag in If-Match',
            ([, before, , after, done]) => {
              const isCurrent = isRead(before) && isRead(after) && after.headers.has('ETag')
              if (!isCurrent || !done) return NOT_REACHED
              return done.status === 412 || isSuccess(done)
                ? hasSuccessStatus(operation, done)
                : NOT_REACHED
            },
            clause,
          ),
        ]
      : []),
  ]
}
