import { readFile } from 'node:fs/promises'
import { createSandbox } from 'pet-sandbox'
import { createClient } from 'pet-sandbox/client'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { VARIABLES } from '../../cli/setting-sources.ts'
import { OUTCOMES } from '../../forcing/outcomes.ts'
import { RULE_NAMES } from '../../report/rules.ts'
import { allCommands, fullName, optionsOf } from './commands.ts'
import { codeSpans, type Page, readGuide } from './markdown.ts'

const pages = await readGuide()
const sandbox = createSandbox()

/** A page of the guide, by its name. */
function pageOf(name: string): Page {
  const page = pages.find(({ path }) => path === `.github/docs/${name}`)
  if (!page) throw new Error(`The guide has no page ${name}`)
  return page
}

/** Whether a page has code that is this text, or that starts with it. */
function names(page: Page, text: string): boolean {
  return codeSpans(page).some(
    (span) => span.startsWith(text) && !/^[\w-]/.test(span.slice(text.length)),
  )
}

describe('the guide names', () => {
  const guide = { path: 'all pages', text: pages.map(({ text }) => text).join('\n') }

  test.each(allCommands().slice(1).map(fullName))('the command %s', (name) => {
    expect(names(guide, `npx ${name}`) || names(guide, name.replace('pet-sandbox ', ''))).toBe(true)
  })

  test.each([...new Set(allCommands().flatMap(optionsOf))])('the option %s', (flag) => {
    const isThere = codeSpans(guide).some((span) =>
      new RegExp(`(?:^| )${flag}(?![\\w-])`).test(span),
    )

    expect(isThere).toBe(true)
  })
})

describe('options.md names', () => {
  const others = ['PET_SANDBOX_URL', 'PET_SANDBOX_KEY', 'DEBUG=pet-sandbox']

  test.each([...Object.values(VARIABLES), ...others])('the variable %s', (variable) => {
    expect(names(pageOf('options.md'), variable)).toBe(true)
  })

  test.each(Object.keys(VARIABLES))('the setting %s of the configuration file', (setting) => {
    expect(names(pageOf('options.md'), setting)).toBe(true)
  })
})

test.each(OUTCOMES)('forcing-and-time.md names the outcome %s', (outcome) => {
  expect(names(pageOf('forcing-and-time.md'), outcome)).toBe(true)
})

test.each(sandbox.scenarios)('scenarios.md names the scenario $name', ({ name }) => {
  expect(names(pageOf('scenarios.md'), name)).toBe(true)
})

test.each(RULE_NAMES)('contract-testing.md names the rule %s', (rule) => {
  expect(names(pageOf('contract-testing.md'), rule)).toBe(true)
})

describe('api.md names', () => {
  // A client does not have the members that only transports use.
  const remote = Object.keys(createClient('http://127.0.0.1:4010'))
  const members = remote.filter((name) => name in sandbox)

  test.each(['fetch', ...members])('sandbox.%s', (member) => {
    expect(names(pageOf('api.md'), `sandbox.${member}`)).toBe(true)
  })
})

describe('control-interface.md has a row with the methods of', async () => {
  const text = await readFile('src/control/openapi.yaml', 'utf8')
  const { paths }: { paths: Record<string, Record<string, unknown>> } = parse(text)

  test.each(Object.entries(paths))('%s', (path, operations) => {
    const methods = Object.keys(operations)
      .filter((key) => key !== 'parameters')
      .map((method) => method.toUpperCase())

    expect(pageOf('control-interface.md').text).toContain(
      `| \`/__sandbox${path}\` | ${methods.join(', ')} |`,
    )
  })
})

describe('dependencies.md names the bundled library', async () => {
  const licences = await readFile('dist/THIRD-PARTY.txt', 'utf8')
  const bundled = [...licences.matchAll(/^(\S+) \d+\.\d+\.\S+ \(.+\)$/gm)]

  test.each(bundled.map(([, library = '']) => library))('%s', (library) => {
    expect(names(pageOf('dependencies.md'), library)).toBe(true)
  })
})
