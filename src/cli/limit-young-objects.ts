import { setFlagsFromString } from 'node:v8'
import type { Contract } from '../contract/contract.ts'

/** Documents with more operations count as large. */
const MANY_OPERATIONS = 500

/**
 * Keeps the memory for young objects as small as it is, for a large document. Node 24 lets it grow to 128 MB while the schemas of
 * many operations are compiled, and never gives it back: 450 MB instead of 300 MB after 400 operations of a document of 14 MB. Small
 * documents keep the default, which serves more requests a second.
 */
export function limitYoungObjects({ operations }: Contract): void {
  if (operations.length > MANY_OPERATIONS) setFlagsFromString('--semi-space-growth-factor=1')
}
