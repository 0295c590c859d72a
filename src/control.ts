export { type Control, type ControlOptions, createControl } from './control/control.ts'
