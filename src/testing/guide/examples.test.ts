import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from './example-code.ts'
import { codeBlocks, readGuide } from './markdown.ts'

/** The tests that run the examples that Vitest does not find by itself. */
const RUN_BY: Readonly<Record<string, string>> = {
  Dockerfile: 'configurations.test.ts',
  'answers.yaml': '../../cli/data.test.ts',
  'app.ts': 'examples.install.test.ts',
  'auth.js': '../../sign-in/clients.install.test.ts',
  'books.yaml': 'examples/own-document.test.ts',
  'browser.ts': 'examples.install.test.ts',
  'calls.yaml': 'examples/calls.test.ts',
  'client.spec.ts': 'served-examples.test.ts',
  'code-hosting.yaml': 'examples/code-hosting.test.ts',
  'code-hosting-hints.yaml': 'examples/code-hosting.test.ts',
  'compose.yaml': 'configurations.test.ts',
  'cypress.cy.js': 'served-examples.test.ts',
  'db.json': '../../cli/data.test.ts',
  'hints.yaml': 'pages.test.ts',
  'jest.test.js': 'examples.install.test.ts',
  'known-findings.yaml': '../../cli/verify-output.test.ts',
  'verify-setup.mjs': '../../cli/verify-setup.long.test.ts',
  'kubernetes.yaml': 'configurations.test.ts',
  'matcher-types-jest.ts': 'examples.install.test.ts',
  'matcher-types-playwright.ts': '../package/package.install.test.ts',
  'next.config.mjs': 'configurations.test.ts',
  'notes.yaml': 'examples/sign-in.test.ts',
  'orders.yaml': 'examples/webhooks.test.ts',
  'parcels.yaml': 'examples/own-api.test.ts',
  'payments.yaml': 'examples/payments.test.ts',
  'payments-hints.yaml': 'examples/payments.test.ts',
  'travel.yaml': 'examples/travel.test.ts',
  'travel-hints.yaml': 'examples/travel.test.ts',
  'labels.yaml': 'examples/any-answer.test.ts',
  'shop.yaml': 'examples/shop.test.ts',
  'shop-api.ts': 'examples/shop.test.ts',
  'shop-handlers.ts': 'examples/shop.test.ts',
  'shop-hints.yaml': 'examples/shop.test.ts',
  'teas.yaml': 'examples/own-errors.test.ts',
  'playwright.config.js': 'configurations.test.ts',
  'playwright.spec.js': 'examples.install.test.ts',
  'scenarios/end-of-month.yaml': 'examples/scenario.test.ts',
  'settings.yaml': 'configurations.test.ts',
  'sign-in-page.ts': '../../sign-in/page.browser.test.ts',
  'single-page.js': '../../sign-in/page.browser.test.ts',
  'steered.spec.js': 'examples.install.test.ts',
  'storybook-preview.js': 'examples.install.test.ts',
  'vite.config.js': 'configurations.test.ts',
  'vite-import.js': '../../cli/vite-plugin.install.test.ts',
  'vite-plugin.config.js': '../../cli/vite-plugin.install.test.ts',
  'webhook-receiver.ts': 'examples/webhook-faults.test.ts',
  'webhook-route.ts': 'examples/webhooks.test.ts',
  'workflow.yaml': 'configurations.test.ts',
}

const files = await readdir(EXAMPLES, { recursive: true, withFileTypes: true })
const examples = files
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(EXAMPLES.length + 1))

const shown = (await readGuide())
  .flatMap(codeBlocks)
  .map(({ example = '' }) => example.replace(/#.*/, ''))

describe('a test runs the example', () => {
  test.each(examples)('%s', (file) => {
    const runner = file.endsWith('.test.ts') ? join('examples', file) : RUN_BY[file]

    expect(runner && existsSync(join(EXAMPLES, '..', runner))).toBe(true)
  })
})

describe('a page shows the example', () => {
  // The application is part of another example.
  test.each(examples.filter((file) => file !== 'app.ts'))('%s', (file) => {
    expect(shown).toContain(file)
  })
})
