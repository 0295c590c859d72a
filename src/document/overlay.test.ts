import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { readDocument } from './load-document.ts'
import { applyOverlay, createPathCompiler, parseOverlay } from './overlay.ts'
import { parseSource } from './parse-text.ts'

/** Applies an overlay with these actions. */
function apply(document: unknown, actions: readonly object[], version = '1.0.0'): unknown {
  return result(document, actions, version).document
}

function result(
  document: unknown,
  actions: readonly object[],
  version = '1.0.0',
): ReturnType<typeof applyOverlay> {
  const text = JSON.stringify({ overlay: version, info: { title: 'T', version: '1' }, actions })
  const source = parseSource('hints.json', pathToFileURL('/hints.json'), text)

  const paths = createPathCompiler()

  return applyOverlay(structuredClone(document), parseOverlay(source, paths.compile), paths)
}

describe('the update of an overlay', () => {
  test('is merged into every object that the target selects, property by property', () => {
    const document = { paths: { a: { get: { tags: ['x'], summary: 'A' } }, b: { get: {} } } }
    const update = { tags: ['y'], summary: 'New', 'x-sandbox': { resource: 'books' } }

    expect(apply(document, [{ target: '$.paths.*.get', update }])).toEqual({
      paths: {
        a: { get: { tags: ['x', 'y'], summary: 'New', 'x-sandbox': { resource: 'books' } } },
        b: { get: update },
      },
    })
  })

  test('is copied for each target', () => {
    const actions = [
      { target: '$.*', update: { list: [1] } },
      { target: '$.a.list', update: 2 },
    ]

    expect(apply({ a: {}, b: {} }, actions)).toEqual({ a: { list: [1, 2] }, b: { list: [1] } })
  })

  test.each([
    ['one entry', '1.0.0', [1, [2, 3]]],
    ['its entries', '1.1.0', [1, 2, 3]],
  ])('that is a list is appended to a list as %s in version %s', (_, version, expected) => {
    const actions = [{ target: '$.list', update: [2, 3] }]

    expect(apply({ list: [1] }, actions, version)).toEqual({ list: expected })
  })

  test('reaches every value of a document of 400 levels', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(398)}{"get":{}}${'}'.repeat(398)}`)

    const applied = apply(deep, [{ target: '$..get', update: { summary: 'New' } }])

    expect(JSON.stringify(applied)).toContain('{"get":{"summary":"New"}}')
  })

  test('is a mistake where copies have made the document too deep for the target', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(300)}{"get":{}}${'}'.repeat(300)}`)
    const copies = ['$', `$${'.a'.repeat(300)}.get`].map((from, index) => ({
      target: `$${'.a'.repeat(300)}.get`,
      ...(index === 0 ? { copy: from } : { update: { summary: 'New' } }),
    }))

    const { mistakes } = result(deep, [...copies, { target: '$..get', remove: true }], '1.1.0')

    expect(mistakes).toMatchObject([
      {
        reason: 'the document is nested too deeply for the target "$..get"',
        location: expect.stringMatching(/^hints\.json:1:\d+$/),
      },
    ])
  })

  test('replaces a text, and the whole document is a target', () => {
    const actions = [
      { target: '$.title', update: 'New' },
      { target: '$', update: { version: 2 } },
    ]

    expect(apply({ title: 'Old' }, actions)).toEqual({ title: 'New', version: 2 })
  })

  test('changes no prototype', () => {
    const update = JSON.parse('{ "__proto__": { "polluted": true }, "ok": true }')

    expect(apply({ a: {} }, [{ target: '$.a', update }])).toEqual({ a: { ok: true } })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('the other actions of an overlay', () => {
  test('remove every value that the target selects, also in one list', () => {
    const document = { list: [{ a: 1 }, { a: 2 }, { b: 1 }, { a: 3 }], map: { x: 1, y: 2 } }
    const actions = [
      { target: '$.list[?@.a]', remove: true },
      { target: '$.map.x', remove: true },
    ]

    expect(apply(document, actions)).toEqual({ list: [{ b: 1 }], map: { y: 2 } })
  })

  test('remove a value only once that the target selects twice', () => {
    expect(apply({ list: [1, 2, 3] }, [{ target: '$.list[0, 0]', remove: true }])).toEqual({
      list: [2, 3],
    })
  })

  test('each see the result of the action before', () => {
    const actions = [
      { target: '$', update: { added: { a: 1 } } },
      { target: '$.added', update: { b: 2 } },
      { target: '$.added.a', remove: true },
    ]

    expect(apply({}, actions)).toEqual({ added: { b: 2 } })
  })

  test('copy one value to another place', () => {
    const document = { paths: { a: { get: 1 }, b: {} } }

    expect(apply(document, [{ target: '$.paths.b', copy: '$.paths.a' }], '1.1.0')).toEqual({
      paths: { a: { get: 1 }, b: { get: 1 } },
    })
  })

  test.each([
    ['selects nothing', { target: '$.missing', update: {} }, 'selects nothing'],
    ['does not fit', { target: '$.object', update: 'text' }, 'does not fit'],
    ['is everything', { target: '$', remove: true }, 'cannot be removed'],
    ['copies several values', { target: '$.object', copy: '$.*' }, 'must select one value'],
  ])('change nothing and are a mistake when the target %s', (_, action, reason) => {
    const document = { object: {}, other: 1 }

    const { document: applied, mistakes } = result(document, [action], '1.1.0')

    expect(applied).toEqual(document)
    expect(mistakes).toEqual([
      expect.objectContaining({
        reason: expect.stringContaining(reason),
        location: expect.stringMatching(/^hints\.json:1:\d+$/),
      }),
    ])
  })
})

describe('an overlay file', () => {
  let folder = ''

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    await writeFile(join(folder, 'api.yaml'), 'openapi: 3.1.1\ninfo: { title: A }\n')
  })

  afterEach(() => rm(folder, { recursive: true }))

  /** Reads `api.yaml` with overlays. */
  async function read(...overlays: readonly string[]): Promise<unknown> {
    const files = overlays.map((_, index) => join(folder, `${index}.yaml`))
    await Promise.all(files.map((file, index) => writeFile(file, overlays[index] ?? '')))

    return (await readDocument(join(folder, 'api.yaml'), { overlays: files })).source.value
  }

  test('is applied after those that are named before it', async () => {
    const overlay = (title: string): string =>
      `overlay: 1.0.0\nactions: [{ target: $.info, update: { title: ${title} } }]\n`

    expect(await read(overlay('B'), overlay('C'))).toEqual({
      openapi: '3.1.1',
      info: { title: 'C' },
    })
  })

  test.each([
    ['openapi: 3.1.1\n', 'the file is not an OpenAPI overlay (0.yaml:1:1)'],
    ['overlay: 2.0.0\nactions: []\n', 'version 2.0.0 of overlays is not supported (0.yaml:1:10)'],
    ['overlay: 1.0.0\n', 'the overlay has no list of actions (0.yaml:1:1)'],
    ['overlay: 1.0.0\nactions:\n  - update: {}\n', 'an action needs a target (0.yaml:3:5)'],
    ['overlay: 1.0.0\nactions:\n  - target: $.paths[\n    remove: true\n', '(0.yaml:3:13)'],
    [
      'overlay: 1.0.0\nactions:\n  - target: $.a\n',
      'an action needs "update", "remove: true" or "copy" (0.yaml:3:5)',
    ],
  ])('with a mistake is refused with the place of the mistake: %j', async (overlay, message) => {
    const error: unknown = await read(overlay).catch((reason) => reason)

    expect(error).toBeInstanceOf(UsageError)
    expect(error).toHaveProperty('code', 'invalid_overlay')
    expect(String(error).replaceAll(`${folder}/`, '')).toContain(message)
  })

  test('with a pattern that takes too long is refused with the place of the target', async () => {
    const target = "$.info[?match(@, '(a+)+b')]"
    const overlay = `overlay: 1.0.0
actions:
  - { target: $.info, update: { title: ${'a'.repeat(60)} } }
  - { target: "${target}", remove: true }
`
    const error: unknown = await read(overlay).catch((reason) => reason)

    expect(String(error)).toContain('takes too long to evaluate')
  })
})
