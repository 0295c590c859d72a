import type { MissingRecords } from './missing-records.ts'
import type { MissingResponse } from './missing-response.ts'

/** What a contract is told that shows only when it is served. */
export interface ContractReports {
  /** Called when first records of a collection cannot be generated. */
  readonly onRecordsMissing?: (missing: MissingRecords) => void
  /** Called once for each response whose body cannot be made. */
  readonly onResponseMissing?: (missing: MissingResponse) => void
}
