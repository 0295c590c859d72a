import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { ViteUserConfig } from 'vitest/config'

// The threads of the tests start later, and collect their young objects less often: it saves 6 % of the processor time.
setFlagsFromString('--max-semi-space-size=64')

/** What a run tests: `npm test`, or one of the scripts `test:long`, `test:browser`, `test:store` and `test:install`, by Vitest's mode. */
export type RunKind = 'test' | 'long' | 'browser' | 'store' | 'install'

declare module 'vitest' {
  interface ProvidedContext {
    readonly runKind: RunKind
  }
}

/**
 * The tests of the kinds that are not quick: properties and tables with many cases, in real browsers, with stores of their own, with
 * packages that they install.
 */
const LONG_TESTS: Readonly<Record<Exclude<RunKind, 'test'>, string>> = {
  long: 'src/**/*.long.test.ts',
  browser: 'src/**/*.browser.test.ts',
  store: 'src/**/*.store.test.ts',
  install: 'src/**/*.install.test.ts',
}

/** Their examples run through the transports of a kind: see `src/testing/transports.ts`. */
const EXAMPLES = 'src/specification/*.test.ts'
/** They have no such examples. */
const NO_EXAMPLES = 'src/specification/{document,parity,strangers}.test.ts'

/**
 * Examples that are the same in a kind as in `npm test`: requests are refused before anything is stored, and a page knows nothing of what
 * the engine counts.
 */
const SAME_EXAMPLES: Readonly<Record<'long' | 'browser' | 'store', readonly string[]>> = {
  long: [],
  browser: ['src/specification/{bad-input,bans,limits}.test.ts'],
  store: ['src/specification/bad-input.test.ts'],
}

/**
 * How long a test may take. A loaded machine takes many times as long as an idle one. What a page shows may come after 30 seconds
 * (Playwright's timeout). A registry may be slow, and so is compiling the types of every package.
 */
const TEST_TIMEOUTS: Readonly<Record<RunKind, number>> = {
  test: 60_000,
  long: 120_000,
  store: 120_000,
  browser: 90_000,
  install: 300_000,
}

/** Tests wait for processes and connections: so many threads more than processors take less time. Browsers do not wait. */
const WAITING: Readonly<Record<RunKind, number>> = {
  test: 1,
  long: 1,
  browser: 0,
  store: 2,
  install: 2,
}

function testsOf(kind: RunKind): { readonly include: string[]; readonly exclude: string[] } {
  if (kind === 'test') return { include: ['src/**/*.test.ts'], exclude: Object.values(LONG_TESTS) }
  if (kind === 'install') return { include: [LONG_TESTS.install], exclude: [] }
  const others = Object.values(LONG_TESTS).filter((tests) => tests !== LONG_TESTS[kind])
  return {
    include: [LONG_TESTS[kind], EXAMPLES],
    exclude: [NO_EXAMPLES, ...SAME_EXAMPLES[kind], ...others],
  }
}

function isLongKind(mode: string): mode is Exclude<RunKind, 'test'> {
  return mode in LONG_TESTS
}

export default function configure({ mode }: { readonly mode: string }): ViteUserConfig {
  const kind = isLongKind(mode) ? mode : 'test'
  const processors = availableParallelism()
  return {
    root: fileURLToPath(new URL('..', import.meta.url)),
    test: {
      environment: 'node',
      ...testsOf(kind),
      provide: { runKind: kind },
      pool: 'threads',
      maxWorkers: processors + WAITING[kind],
      // Tests leave nothing behind, and loading the engine again for each file would take most of the time.
      isolate: false,
      // A run need not compile again what has not changed: it saves a third of the time until the first test.
      experimental: { fsModuleCache: true },
      // CommonJS modules are imported as Node.js and the build import them.
      deps: { interopDefault: false },
      globalSetup: 'src/testing/global-setup.ts',
      // A test that hangs still fails.
      testTimeout: TEST_TIMEOUTS[kind],
      hookTimeout: Math.max(60_000, TEST_TIMEOUTS[kind]),
      // Without it, what a test waits for must come within a second.
      expect: { poll: { timeout: 20_000 } },
    },
  }
}
