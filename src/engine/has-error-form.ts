import type { Contract } from '../contract/contract.ts'

/** Whether a contract has the contents of responses, so that it may have those of errors. The shipped contract has none. */
export function hasErrorForm({ operations }: Contract): boolean {
  return operations.some(
    ({ responses, otherResponses }) => otherResponses || responses.some(({ content }) => content),
  )
}
