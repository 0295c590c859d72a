import type { BehavedOptions } from 'pet-sandbox/vitest'

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> {
    toHaveBehaved(options?: BehavedOptions): R
  }
}
