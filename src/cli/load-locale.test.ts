import { describe, expect, test } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { runCommand } from '../testing/command.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { loadLocale } from './load-locale.ts'

describe('a locale', () => {
  test.each<[name: string, country: string, city: RegExp]>([
    ['de', 'Deutschland', /./],
    ['de_AT', 'Österreich', /./],
    ['ja', '日本', /[^a-z]/],
    ['pt_BR', 'Brasil', /./],
  ])('%s has people, streets and cities of its country', async (name, country, city) => {
    const { firstNames, lastNames, streets, cities } = await loadLocale(name)

    expect(firstNames.length).toBeGreaterThan(20)
    expect(lastNames.length).toBeGreaterThan(20)
    expect(streets.length).toBeGreaterThan(0)
    expect(cities[0]?.name).toMatch(city)
    if (cities[0]?.countryCode !== 'DE' || name === 'de') expect(cities[0]?.country).toBe(country)
  })

  test('that does not exist is refused with the nearest one', async () => {
    await expect(loadLocale('de_AX')).rejects.toThrow(
      /unknown locale "de_AX".*Did you mean "de_AT"/,
    )
    const { code, stderr } = await runCommand(['serve', '--locale', 'xx', '--port', '0'])

    expect(code).toBe(2)
    expect(stderr).toContain('unknown locale "xx"')
  })

  test('makes names of generated records, the same ones each time', async () => {
    const locale = await loadLocale('de')
    const person = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        first_name: { type: 'string' },
        country: { type: 'string' },
      },
      required: ['id', 'first_name', 'country'],
    }
    const content = { 'application/json': { schema: { type: 'array', items: person } } }
    const contract = await loadDocumentOf({
      '/people': { get: { responses: { '200': { description: 'All.', content } } } },
    })
    const open = () => createSandbox({ contract, locale, records: 5 }).collection('people').list()

    const [people, again] = [await open(), await open()]

    expect(people).toEqual(again)
    for (const one of people) {
      expect(locale.firstNames).toContain(one.first_name)
      expect(one.country).toBe('Deutschland')
    }
  })
})
