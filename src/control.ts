export type { ActionListener, ControlAction } from './control/action.ts'
export { type Control, type ControlOptions, createControl } from './control/control.ts'
