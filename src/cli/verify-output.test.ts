import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { XMLParser } from 'fast-xml-parser'
import { afterEach, describe, expect, test } from 'vitest'
import { type CommandResult, runCommand, stopCommands } from '../testing/command.ts'
import { serveHttp, serveSandbox, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const KEY = 'sk_sandbox_pro'
const folder = useTemporaryDirectory()

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

/** Runs the checks of keys against a service. `accepted`: whether it accepts every key for lists. */
async function verify(args: readonly string[], acceptsAll = true): Promise<CommandResult> {
  const { origin } = await serveHttp((request, response) => {
    const isKeyed = request.headers.authorization === `Bearer ${KEY}`
    const isLenient = acceptsAll && request.url === '/v1/pets'
    response.writeHead(isKeyed || isLenient ? 200 : 401, { 'Content-Type': 'application/json' })
    response.end('[]')
  })
  return runCommand(['verify', `${origin}/v1`, '--check', 'wrong-key', ...args], {
    cwd: folder(),
    env: { PET_SANDBOX_KEY: KEY, GITHUB_STEP_SUMMARY: join(folder(), 'summary.md') },
  })
}

async function write(name: string, value: unknown): Promise<string> {
  const path = join(folder(), name)
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

const read = (name: string): Promise<string> => readFile(join(folder(), name), 'utf8')

describe('the result of verify', () => {
  test('is JSON by the published schema', async () => {
    const schema = JSON.parse(readFileSync('src/verify/output/verification.schema.json', 'utf8'))
    const isValid = new Ajv2020({ strict: true, allErrors: true }).compile(schema)
    const { origin } = await serveSandbox()

    const failed = await verify(['--json'])
    const passed = await runCommand(['verify', `${origin}/v1`, '--json', 'out/result.json'], {
      cwd: folder(),
      env: { PET_SANDBOX_KEY: KEY },
    })

    expect([failed.code, passed.code]).toEqual([1, 0])
    expect(passed.stdout).toContain('none failed')
    const results = [JSON.parse(failed.stdout), JSON.parse(await read('out/result.json'))]
    for (const result of results) expect(isValid(result) ? [] : isValid.errors).toEqual([])
    expect(results).toMatchObject([
      {
        verdict: 'failed',
        findings: [{ check: 'listPets/wrong-key', severity: 'error', fails: true }],
      },
      { verdict: 'passed', findings: [] },
    ])
    expect(isValid({ ...results[0], verdict: 'unknown' })).toBe(false)
  })

  test('is JUnit XML, an HTML page, annotations and a job summary', async () => {
    const { code, stdout } = await verify(['--junit', 'a.xml', '--html', 'a.html', '--github'])

    expect(code).toBe(1)
    const suites = new XMLParser({ ignoreAttributes: false }).parse(await read('a.xml'))
    expect(suites.testsuites['@_failures']).toBe('1')
    expect(await read('a.html')).toContain('<h3>listPets rejects an invalid key with a 401</h3>')
    expect(stdout).toContain('::error title=listPets/wrong-key::listPets rejects an invalid key')
    expect(await read('summary.md')).toMatch(/^## ❌ Pet Adoption Store 1\.0\.0 at http/)
  })

  test('is SARIF 2.1.0 for code scanning', async () => {
    const known = await write('known.json', [
      { check: 'listPets/*', reason: 'the gateway checks keys', date: '2026-11-26' },
    ])

    await verify(['--sarif', 'a.sarif', '--accept', known])

    const sarif: unknown = JSON.parse(await read('a.sarif'))
    expect(sarifMistakes(sarif)).toEqual([])
    expect(sarif).toMatchObject({
      runs: [
        {
          results: [
            {
              ruleId: 'listPets/wrong-key',
              level: 'error',
              suppressions: [
                { kind: 'external', justification: expect.stringContaining('gateway') },
              ],
              locations: [{ physicalLocation: { artifactLocation: { uri: 'openapi.yaml' } } }],
            },
          ],
        },
      ],
    })
  })
})

describe('an accepted finding', () => {
  const accepted =
    '- check: listPets/wrong-key\n  reason: known since the migration\n  date: 2026-11-26\n'

  test('does not make the run fail, and is listed with its reason', async () => {
    const { code, stdout } = await verify(['--accept', await write('known.yaml', accepted)])

    expect(code).toBe(0)
    expect(stdout).toContain(
      'Accepted: listPets/wrong-key (2026-11-26: known since the migration)\n',
    )
    expect(stdout).not.toMatch(/\d failed/)
    expect(stdout).not.toContain('✗')
  })

  test('is the only one of a run that has evaluated a check', async () => {
    const known = await write('known.yaml', accepted)

    const { code, stdout } = await verify(['--check', 'listPets/wrong-key', '--accept', known])

    expect(code).toBe(0)
    expect(stdout).toContain('none failed, 0 passed')
    expect(stdout).not.toContain('no check was evaluated')
  })

  test('of the guide is accepted', async () => {
    const known = join(process.cwd(), 'src/testing/guide/examples/known-findings.yaml')

    const { code, stdout } = await verify(['--accept', known])

    expect(code).toBe(0)
    expect(stdout).toContain('Accepted: listPets/wrong-key (2026-11-26: The gateway of')
  })

  test('that no longer occurs is told', async () => {
    const known = await write('known.yaml', accepted)

    const { code, stdout } = await verify(['--accept', known], false)

    expect(code).toBe(0)
    expect(stdout).toContain(
      'Accepted, and no longer occurs: listPets/wrong-key. Remove it from the file.\n',
    )
  })

  test.each([
    ['no list', '{}', 'it must be a list of accepted findings'],
    ['no reason', '- { check: a, date: 2026-11-26 }', 'entry 1: '],
    [
      'an invalid date',
      '- { check: a, reason: b, date: 2026-02-30 }',
      'date must be a date such as 2026-11-26',
    ],
    ['an unknown field', '- { check: a, reason: b, date: 2026-11-26, until: c }', 'unknown'],
  ])('of a file with %s is a mistake', async (_what, content, reason) => {
    const { code, stderr } = await verify(['--accept', await write('known.yaml', content)])

    expect(stderr).toMatch(/^pet-sandbox: Cannot read .*known\.yaml: /)
    expect(stderr).toContain(reason)
    expect(code).toBe(2)
  })
})

describe('a comparison with an earlier result', () => {
  test('tells what is new and what is gone, and can fail for new findings only', async () => {
    await verify(['--json', 'failed.json'])
    await verify(['--json', 'passed.json'], false)

    const same = await verify(['--compare', 'failed.json', '--fail-on', 'new'])
    const worse = await verify(['--compare', 'passed.json', '--fail-on', 'new'])
    const better = await verify(['--compare', 'failed.json'], false)

    expect([same.code, worse.code, better.code]).toEqual([0, 1, 0])
    expect(same.stdout).toContain('0 new findings, 0 gone, 0 not checked again.')
    expect(worse.stdout).toContain('1 new finding, 0 gone')
    expect(worse.stdout).toContain('  new: listPets/wrong-key\n')
    expect(better.stdout).toContain('  gone: listPets/wrong-key\n')
  })

  test.each([
    [['--compare', 'missing.json'], 'Cannot read missing.json: the file does not exist.'],
    [['--compare', 'other.json'], 'Cannot compare with other.json: it is not a result of verify.'],
    [['--fail-on', 'new'], 'Cannot use --fail-on new: there is no earlier result.'],
    [['--fail-on', 'error'], 'Did you mean "errors"?'],
  ])('with %j is a mistake that is told before the run', async (args, message) => {
    await write('other.json', {})

    const { code, stderr } = await verify(args)

    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})

test('--fail-on none never fails', async () => {
  const { code, stdout } = await verify(['--fail-on', 'none'])

  expect(stdout).toContain('1 failed')
  expect(code).toBe(0)
})

/** Mistakes in a SARIF file, by what the standard and code scanning of GitHub require (sections 3.13 to 3.29 of SARIF 2.1.0). */
function sarifMistakes(value: unknown): readonly string[] {
  const text = { type: 'string', minLength: 1 }
  const message = { type: 'object', required: ['text'], properties: { text } }
  const level = { enum: ['none', 'note', 'warning', 'error'] }
  const rule = {
    type: 'object',
    required: ['id', 'shortDescription'],
    properties: { id: text, shortDescription: message, help: message },
  }
  const location = {
    type: 'object',
    required: ['physicalLocation'],
    properties: {
      physicalLocation: {
        type: 'object',
        required: ['artifactLocation'],
        properties: {
          artifactLocation: {
            type: 'object',
            required: ['uri'],
            properties: { uri: { type: 'string', pattern: '^[^\\s\\\\]+$' } },
          },
          region: {
            type: 'object',
            required: ['startLine'],
            properties: { startLine: { type: 'integer', minimum: 1 } },
          },
        },
      },
    },
  }
  const result = {
    type: 'object',
    required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
    properties: {
      ruleId: text,
      ruleIndex: { type: 'integer', minimum: 0 },
      level,
      message,
      locations: { type: 'array', minItems: 1, items: location },
      baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
      partialFingerprints: { type: 'object', additionalProperties: text },
      suppressions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kind'],
          properties: {
            kind: { enum: ['inSource', 'external'] },
            status: { enum: ['accepted', 'underReview', 'rejected'] },
          },
        },
      },
    },
  }
  const schema = {
    type: 'object',
    required: ['version', '$schema', 'runs'],
    properties: {
      version: { const: '2.1.0' },
      runs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['tool', 'results'],
          properties: {
            tool: {
              type: 'object',
              required: ['driver'],
              properties: {
                driver: {
                  type: 'object',
                  required: ['name', 'version', 'rules'],
                  properties: { name: text, rules: { type: 'array', items: rule } },
                },
              },
            },
            results: { type: 'array', items: result },
          },
        },
      },
    },
  }
  const isValid = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  return isValid(value)
    ? []
    : (isValid.errors ?? []).map(({ instancePath, message: what }) => `${instancePath} ${what}`)
}
