export { type BehavedOptions, matchers, toHaveBehaved } from './report/behaved.ts'
