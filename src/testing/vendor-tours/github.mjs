import { Octokit } from '@octokit/rest'
import { equal, refused, report, step } from './steps.mjs'

// The steps follow the README of the library and the guides that it links to.

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const octokit = new Octokit({ auth: 'ghp_1', baseUrl: process.env.SANDBOX, log: quiet })
const { activity, issues, pulls, repos, users } = octokit.rest
let me
let at
const here = (more = {}) => ({ ...at, ...more })
const issue = async (number = 1) => (await issues.get(here({ issue_number: number }))).data
const listed = async (query) => {
  const { data } = await issues.listForRepo(here(query))
  return data.map(({ number }) => number)
}

await step('who am I', async () => {
  me = (await users.getAuthenticated()).data
  at = { owner: me.login, repo: 'hello' }
})
await step('create a repository', async () => {
  const { data } = await repos.createForAuthenticatedUser({ name: 'hello' })
  equal([data.full_name, data.owner.login], [`${me.login}/hello`, me.login])
  equal([data.stargazers_count, data.open_issues_count], [0, 0])
})
await step('the name is taken', () =>
  refused(repos.createForAuthenticatedUser({ name: 'hello' }), 422),
)
await step('it is among my repositories', async () => {
  const own = await octokit.paginate(repos.listForAuthenticatedUser, { per_page: 100 })
  equal(own.filter(({ name }) => name === 'hello').length, 1)
})
await step('describe it', async () => {
  await repos.update(here({ description: 'Hi' }))
  equal((await repos.get(here())).data.description, 'Hi')
})
await step('add a label', async () => {
  await issues.createLabel(here({ name: 'leak', color: 'ff0000' }))
  equal((await issues.getLabel(here({ name: 'leak' }))).data.color, 'ff0000')
})
await step('the label is taken', () => refused(issues.createLabel(here({ name: 'leak' })), 422))
await step('open an issue with a label and an assignee', async () => {
  const sent = { title: 'It leaks', labels: ['leak'], assignees: [me.login] }
  const { data } = await issues.create(here(sent))
  equal([data.number, data.state, data.user.login, data.comments], [1, 'open', me.login, 0])
  equal([data.labels[0].color, data.assignees[0].login], ['ff0000', me.login])
})
await step('open another one', async () =>
  equal((await issues.create(here({ title: 'It drips' }))).data.number, 2),
)
await step('the newest issue is the first', async () => equal(await listed({}), [2, 1]))
await step('read all pages', async () => {
  const all = await octokit.paginate(issues.listForRepo, here({ per_page: 1 }))
  equal(
    all.map(({ title }) => title),
    ['It drips', 'It leaks'],
  )
})
await step('list by label', async () => equal(await listed({ labels: 'leak' }), [1]))
await step('list by creator', async () => equal(await listed({ creator: me.login }), [2, 1]))
await step('comment', async () => {
  const { data } = await issues.createComment(here({ issue_number: 1, body: 'Me too' }))
  equal([data.body, data.user.login, (await issue()).comments], ['Me too', me.login, 1])
})
await step('label it, and take the label back', async () => {
  await issues.createLabel(here({ name: 'roof', color: '00ff00' }))
  await issues.addLabels(here({ issue_number: 1, labels: ['roof'] }))
  await issues.removeLabel(here({ issue_number: 1, name: 'leak' }))
  equal(
    (await issue()).labels.map(({ name }) => name),
    ['roof'],
  )
})
await step('close it', async () => {
  await issues.update(here({ issue_number: 1, state: 'closed' }))
  const { state, closed_at, closed_by } = await issue()
  equal([state, typeof closed_at, closed_by?.login], ['closed', 'string', me.login])
})
await step('one issue is open', async () => {
  equal((await repos.get(here())).data.open_issues_count, 1)
  equal([await listed({}), await listed({ state: 'closed' })], [[2], [1]])
})
await step('open it again', async () => {
  await issues.update(here({ issue_number: 1, state: 'open' }))
  equal([(await issue()).closed_at, (await issue()).closed_by], [null, null])
})
await step('star the repository', async () => {
  await refused(activity.checkRepoIsStarredByAuthenticatedUser(here()), 404)
  await activity.starRepoForAuthenticatedUser(here())
  await activity.checkRepoIsStarredByAuthenticatedUser(here())
  equal((await repos.get(here())).data.stargazers_count, 1)
})
await step('take the star back', async () => {
  await activity.unstarRepoForAuthenticatedUser(here())
  await refused(activity.checkRepoIsStarredByAuthenticatedUser(here()), 404)
  equal((await repos.get(here())).data.stargazers_count, 0)
})
await step('review and merge a change', async () => {
  const { data: pull } = await pulls.create(here({ title: 'Fix', head: 'fix', base: 'main' }))
  const own = here({ pull_number: pull.number })
  const { data: review } = await pulls.createReview({ ...own, event: 'APPROVE', body: 'Fine' })
  await pulls.merge(own)
  const { data } = await pulls.get(own)
  equal([review.state, data.merged, data.state], ['APPROVED', true, 'closed'])
})
await step('publish a release', async () => {
  const { data } = await repos.createRelease(here({ tag_name: 'v1' }))
  equal((await repos.getReleaseByTag(here({ tag: 'v1' }))).data.id, data.id)
  equal((await repos.getLatestRelease(here())).data.id, data.id)
})
await step('an issue without a title is refused', () =>
  refused(octokit.request('POST /repos/{owner}/{repo}/issues', here()), 422),
)
await step('what does not exist is not found', async () => {
  await refused(repos.get({ ...at, repo: 'unknown' }), 404)
  await refused(issues.listForRepo({ ...at, repo: 'unknown' }), 404)
  await refused(issues.get(here({ issue_number: 99 })), 404)
})
await step('delete the repository', async () => {
  await repos.delete(here())
  await refused(repos.get(here()), 404)
  await refused(issue(), 404)
})

report()
