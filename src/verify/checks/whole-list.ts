import type { ResourceBinding } from '../../resources/bind.ts'
import { linkOf, type ProbeResponse } from '../messages.ts'
import { recordsAt } from '../record-address.ts'
import { pageSizeOf } from '../test-data/values.ts'

/** Whether a list has all records: fewer than fit on a page. */
export function isWhole(response: ProbeResponse, list: ResourceBinding): boolean {
  const { maximum, default: preset } = pageSizeOf(list.operation) ?? {}
  const most = maximum ?? preset
  const count = recordsAt(response, list)?.length ?? 0
  if (linkOf(response.headers, 'next') !== undefined) return false
  return list.hints.paging === undefined || (most !== undefined && count < most)
}
