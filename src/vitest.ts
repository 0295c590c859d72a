export { type BehavedOptions, matchers, toHaveBehaved } from './report/to-have-behaved.ts'
