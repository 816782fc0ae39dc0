import type { AuthorLane } from '../lane.ts';
import { lockedIn, recipe, stage, type HasFile, type Recipe } from './recipe.ts';

const TLS = ['ca-certificates'];

export function goRecipe(lane: AuthorLane): Recipe {
  return recipe(
    lane,
    {
      ...stage('golang:1-bookworm', { env: { CGO_ENABLED: '1' } }),
      caches: ['/root/.cache/go-build', '/go/pkg/mod'],
    },
    stage('debian:bookworm-slim', { packages: [...TLS, 'tzdata'] }),
  );
}

export function rustRecipe(lane: AuthorLane, has: HasFile): Recipe {
  const locked = lockedIn(lane, has)('Cargo.lock') ? ' --locked' : '';
  const build = lane.build?.replace(/^cargo build\b/, `cargo build${locked}`) ?? null;
  return recipe(
    lane,
    {
      ...stage('rust:1-bookworm'),
      install: null,
      commands: build === null ? [] : [build],
      caches: ['/usr/local/cargo/registry'],
      // Intermediate objects are many times the size of the program.
      tidy: ['find /app -type d -path "*/target/release/*" -prune -exec rm -rf {} +'],
    },
    stage('debian:bookworm-slim', { packages: TLS }),
  );
}

export function swiftRecipe(lane: AuthorLane): Recipe {
  return recipe(
    lane,
    stage('swift:6.0-bookworm'),
    stage('swift:6.0-bookworm-slim', { packages: TLS }),
  );
}

export function dotnetRecipe(lane: AuthorLane): Recipe {
  const port = lane.port === null ? {} : { ASPNETCORE_HTTP_PORTS: String(lane.port) };
  return recipe(
    lane,
    {
      ...stage('mcr.microsoft.com/dotnet/sdk:9.0', { env: { DOTNET_CLI_TELEMETRY_OPTOUT: '1' } }),
      commands: [lane.build ?? 'dotnet publish -c Release -o out'],
      caches: ['/root/.nuget/packages'],
    },
    stage('mcr.microsoft.com/dotnet/aspnet:9.0', {
      // A project for an older runtime starts on this one.
      env: { DOTNET_ROLL_FORWARD: 'Major', DOTNET_ENVIRONMENT: 'Production', ...port },
    }),
  );
}

/** Maven and Gradle, through their wrappers where the build uses them; null for other build tools. */
export function jvmRecipe(lane: AuthorLane): Recipe | null {
  const build = lane.build ?? '';
  const wrapped = /(?:^|\s)(?:\.\.?\/)+(?:mvnw|gradlew)\b/.test(build);
  const image = wrapped ? 'eclipse-temurin:21-jdk' : JVM_IMAGES[lane.packageManager ?? ''];
  if (image === undefined) return null;
  return recipe(
    lane,
    { ...stage(image), caches: [lane.packageManager === 'gradle' ? '/root/.gradle' : '/root/.m2'] },
    stage('eclipse-temurin:21-jre', {
      env: lane.port === null ? {} : { SERVER_PORT: String(lane.port) },
    }),
  );
}

const JVM_IMAGES: Readonly<Record<string, string>> = {
  maven: 'maven:3-eclipse-temurin-21',
  gradle: 'gradle:8-jdk21',
};
