import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { secretsIn, SecretStore } from "./secrets.ts";

describe("a variable", () => {
  const secret = {
    ANTHROPIC_API_KEY: "sk-test-000",
    APIKEY: "sk-test-000",
    AWS_SECRET_ACCESS_KEY: "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
    GITHUB_TOKEN: "ghp_0123456789",
    npm_config__authToken: "npm_0123456789",
    DB_PASSWORD: "correct horse battery",
    PGPASSWORD2: "",
    CLIENT_SECRET: "abcdefghijklmnopqrstuvwx",
    STRIPE_KEY: "rk_live_0123",
    GOOGLE_CREDENTIALS: '{"private_key":"x"}',
    TOKEN_2: "0123456789abcdef",
  };
  for (const [name, value] of Object.entries(secret)) {
    if (value === "") continue;
    test(`named ${name} is a secret`, () => {
      assert.deepEqual(secretsIn({ [name]: value }), [{ name, value }]);
    });
  }
  const other = {
    HOME: "/home/somebody",
    PATH: "/usr/bin:/bin",
    PWD: "/home/somebody/work",
    OLDPWD: "/home/somebody/work",
    SSH_AUTH_SOCK: "/tmp/ssh-abc/agent.1",
    GOOGLE_APPLICATION_CREDENTIALS: "/home/somebody/key.json",
    SSH_KEY: "~/.ssh/id_ed25519",
    TOKEN_FILE: "/run/secrets/token",
    MAX_TOKENS: "100000000",
    TOKENIZERS_PARALLELISM: "disabled by default",
    PAGER_KEYBINDINGS: "some-keys-1",
    MONKEY: "sk-test-000",
    GIT_ASKPASS: "/usr/bin/ask-it",
    DB_PASSWORD: "postgres",
    PASSWORD: "12345678",
    API_KEY: "short-1",
    EMPTY_TOKEN: "",
  };
  for (const [name, value] of Object.entries(other)) {
    test(`${name}=${value} is none`, () => assert.deepEqual(secretsIn({ [name]: value }), []));
  }

  test("without a value is none", () => assert.deepEqual(secretsIn({ TOKEN: undefined }), []));
});

test("a key that is learned is hidden from then on, and handed on", () => {
  const store = new SecretStore([{ name: "TOKEN", value: "token-value-1" }]);
  assert.equal(store.redactor().text("key-value-1 token-value-1"), "key-value-1 [redacted:TOKEN]");
  assert.equal(store.learn("API_KEY", "key-value-1"), "key-value-1");
  assert.equal(store.learn("API_KEY", undefined), undefined);
  const { text } = store.redactor();
  assert.equal(text("key-value-1 token-value-1"), "[redacted:API_KEY] [redacted:TOKEN]");
});

test("keys that change all the time are learned up to a bound", () => {
  const store = new SecretStore([]);
  for (let n = 0; n < 150; n++) store.learn("API_KEY", `key-number-${n}!`);
  assert.equal(store.redactor().text("key-number-99!"), "[redacted:API_KEY]");
  assert.equal(store.redactor().text("key-number-149!"), "key-number-149!");
});
