import { chooseResponse } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  isRemoved,
  OPERATION_REMOVED,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { idIn, isOnItem, recordIn, recordsAt, segmentsOf, valueAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, type Step, storyOf } from './steps.ts'

/** Where records have the link to themselves: in HAL and in JSON:API. */
const SELF = ['/_links/self/href', '/links/self'] as const

/** The link of a record to itself names the record, as far as the document has such links. */
export function selfLinkChecks({ bindings }: BoundResource): CheckDefinition[] {
  const shown = Object.values(bindings).filter(({ action }) => action !== 'remove')
  return shown.flatMap((binding) => {
    const place = selfPlaceOf(binding)
    return place === undefined ? [] : [selfLinkCheck(binding, place)]
  })
}

function selfPlaceOf({ operation, hints, action }: ResourceBinding): string | undefined {
  const { schema } = chooseResponse(operation).documented ?? {}
  const found = schema && schemaAt(schema, hints.record ?? '')
  const record = action === 'list' ? found && itemsOf(found) : found
  return SELF.find((place) => {
    const [name = '', ...rest] = place.slice(1).split('/')
    const links = record && propertiesOf(record).get(name)
    return links !== undefined && schemaAt(links, `/${rest.join('/')}`) !== undefined
  })
}

function selfLinkCheck(binding: ResourceBinding, place: string): CheckDefinition {
  const { operation } = binding
  const name = 'links each record to itself'
  const isShown = (one: ProbeResponse): boolean =>
    one.request.operation === operation && isSuccess(one)
  const evaluate = everyResponse(isShown, (response): Evaluation => {
    const records =
      binding.action === 'list'
        ? (recordsAt(response, binding) ?? [])
        : [recordIn(response, binding)]
    for (const record of records) {
      const link = valueAt(record, place)
      const id = idIn(record, binding)
      if (typeof link !== 'string' || id === undefined || !URL.canParse(link, response.url))
        continue
      const segments = segmentsOf(new URL(link, response.url).pathname)
      if (!segments.some((one) => one === id || one === encodeURIComponent(id)))
        return failure(response, `a link with the id ${id}`, link)
    }
    return 'passed'
  })
  return operationCheck(operation, 'self', name, evaluate)
}

/** `Location` leads to the new record (RFC 9110, section 10.2.2), where the document has the header. */
export function locationProbes({ bindings: { create, read } }: BoundResource): Probe[] {
  if (!create || !read || !isOnItem(create, read)) return []
  const { headers = [] } = create.operation.responses.find(({ status }) => status === 201) ?? {}
  if (!headers.some(({ name }) => name.toLowerCase() === 'location')) return []
  const follow: Step = async (session, [created]) => {
    const location = created?.headers.get('Location')
    const { base } = session.target
    if (created?.status !== 201 || !location || !URL.canParse(location, created.url))
      return undefined
    const { href } = new URL(location, created.url)
    if (!href.startsWith(`${base}/`)) return undefined
    const { operation } = read
    const target = href.slice(base.length)
    return { operation, method: operation.method, target, credentials: 'key' }
  }
  const name = 'leads to the created record in Location'
  const check = operationCheck(create.operation, 'location/read', name, ([created, found]) => {
    if (!created || !found || found.status >= 500) return NOT_REACHED
    if (isRemoved(read.operation, found.time)) return OPERATION_REMOVED
    return passIf(
      isSuccess(found),
      created,
      'the address of the record',
      `Location: ${created.headers.get('Location')}`,
    )
  })
  return [storyOf(ORDER.create + 0.9, [creation(create), follow], [check])]
}
