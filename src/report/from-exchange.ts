import type { Contract } from '../contract/contract.ts'
import { headerIn } from '../http/headers.ts'
import type { Exchange } from '../journal/exchange.ts'
import { fieldsFromHeaders, invalidInputs, refusalCause } from './entry-fields.ts'
import { NO_KEY, type ReportEntry } from './report-entry.ts'

/** The entry for an exchange of a journal. */
export function toReportEntry(
  exchange: Exchange,
  contract: Pick<Contract, 'quotaHeaders'>,
): ReportEntry {
  const { id, time, milliseconds, request, response, operation, plan, reason, refusal } = exchange
  const by = refusalCause(exchange.status, reason, refusal?.code)
  const { body } = request

  return {
    id: String(id),
    recording: 1,
    number: id,
    follows: exchange.follows ?? id - 1,
    time,
    end: time + milliseconds,
    method: exchange.method,
    target: exchange.target,
    ...(operation !== undefined && { operation }),
    caller: exchange.caller,
    key: exchange.key ?? NO_KEY,
    ...(exchange.client !== undefined && { client: exchange.client }),
    ...(plan !== undefined && { plan }),
    status: exchange.status,
    ...(by && { refusal: by }),
    forced: exchange.forced !== undefined || reason?.startsWith('forced:') === true,
    notes: exchange.notes,
    faults: invalidInputs(exchange.status, refusal?.errors),
    ...(refusal && { code: refusal.code }),
    ...(body && { body }),
    ...fieldsFromHeaders(response.headers, time, contract),
    remote: headerIn(request.headers, 'host') !== undefined,
  }
}
