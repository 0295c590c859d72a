import type { Row } from '../resources/row-index.ts'

/** A state to rehearse. */
export interface Scenario {
  readonly rehearses: string
  readonly records?: number | Readonly<Record<string, readonly Row[]>>
  readonly clock?: string
  readonly frozen?: boolean
  readonly plans?: Readonly<Record<string, { minute?: number; day?: number }>>
  readonly spent?: Readonly<Record<string, { minute?: number; day?: number }>>
  readonly banned?: Readonly<Record<string, string | number>>
  readonly rules?: readonly { readonly outcome: string }[]
}
