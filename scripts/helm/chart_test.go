package helm

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const chartFolder = "../../deploy/helm/segel"

// least are the values that an installation has to set.
const least = `
publicURL: https://segel.example.com
database: {existingSecret: segel-database}
masterKey: {existingSecret: segel-keys}
s3: {endpoint: https://s3.example.com, bucket: segel, existingSecret: segel-s3}
`

// most are values that use everything.
const most = least + `
image: {repository: registry.example.com/segel, digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
imagePullSecrets: [{name: registry}]
processes:
  - {name: api, roles: [api], replicas: 3}
  - {name: worker, roles: [worker], replicas: 2, resources: {limits: {memory: 1Gi}}}
  - {name: convert, roles: [convert], replicas: 1}
convert: http://gotenberg:3000
convertPodLabels: {app: gotenberg}
trustedProxies: [10.0.0.0/8, "fd00::/8"]
outboundPrivate: [10.0.0.0/8]
settings: {SEGEL_MAIL_FROM: segel@example.com, SEGEL_MAX_JOBS: 8, SEGEL_GUEST_ACCOUNTS: true}
secretSettings: {SEGEL_MAIL_SERVERS: {existingSecret: segel-mail, key: servers}}
migrate: {resources: {limits: {memory: 1Gi}}}
service: {annotations: {a: b}}
ingress: {enabled: true, className: nginx, host: segel.example.com, tlsSecret: segel-tls, annotations: {nginx.ingress.kubernetes.io/proxy-body-size: 60m}}
podMonitor: {enabled: true, existingSecret: segel-metrics, labels: {release: prometheus}}
podAnnotations: {a: b}
podLabels: {c: d}
nodeSelector: {disk: fast}
tolerations: [{key: segel, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: Exists}]}]}}}
`

func parseValues(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// renderChart returns the manifests by the names of their templates.
func renderChart(t *testing.T, text string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	values, err := chartutil.ToRenderValues(chart, parseValues(t, text), chartutil.ReleaseOptions{Name: "contracts", Namespace: "legal", Revision: 1, IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, values)
}

// objects are the manifests of a chart by kind.
type objects struct {
	deployments []*appsv1.Deployment
	services    []*corev1.Service
	budgets     []*policyv1.PodDisruptionBudget
	ingresses   []*networkingv1.Ingress
	jobs        []*batchv1.Job
	policies    []*networkingv1.NetworkPolicy
	monitors    []map[string]any
}

// decodeObjects decodes every manifest into the type that it names. A member that the type does not have, or has twice, fails the test.
func decodeObjects(t *testing.T, text string) (all objects) {
	t.Helper()
	files, err := renderChart(t, text)
	if err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for document := range strings.SplitSeq("\n"+files[name], "\n---") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			object, _, err := strict.Decode([]byte(document), nil, nil)
			if runtime.IsNotRegisteredError(err) && strings.HasSuffix(name, "podmonitor.yaml") { // a type of the Prometheus operator
				all.monitors = append(all.monitors, parseValues(t, document))
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			switch o := object.(type) {
			case *appsv1.Deployment:
				all.deployments = append(all.deployments, o)
			case *corev1.Service:
				all.services = append(all.services, o)
			case *policyv1.PodDisruptionBudget:
				all.budgets = append(all.budgets, o)
			case *networkingv1.Ingress:
				all.ingresses = append(all.ingresses, o)
			case *networkingv1.NetworkPolicy:
				all.policies = append(all.policies, o)
			case *batchv1.Job:
				all.jobs = append(all.jobs, o)
			default:
				t.Fatalf("%s: %T is not expected", name, object)
			}
		}
	}
	return all
}

func TestOnlyPodsThatConvertReachGotenbergWhichReachesNothing(t *testing.T) {
	t.Parallel()
	if all := decodeObjects(t, least).policies; len(all) != 0 {
		t.Errorf("without Gotenberg: %v", all)
	}
	all := decodeObjects(t, most)
	if len(all.policies) != 1 {
		t.Fatalf("%d policies", len(all.policies))
	}
	p := all.policies[0].Spec
	if p.PodSelector.MatchLabels["app"] != "gotenberg" || !slices.Equal(p.PolicyTypes, []networkingv1.PolicyType{"Ingress", "Egress"}) || len(p.Egress) != 0 || len(p.Ingress) != 1 || len(p.Ingress[0].From) != 1 {
		t.Fatalf("%+v", p)
	}
	from, err := metav1.LabelSelectorAsSelector(p.Ingress[0].From[0].PodSelector)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all.deployments {
		converts := strings.HasSuffix(d.Name, "-convert")
		if from.Matches(labels.Set(d.Spec.Template.Labels)) != converts {
			t.Errorf("%s: reaches Gotenberg: %t", d.Name, !converts)
		}
	}
}

func TestTheChartHasNoFindingOfHelmLint(t *testing.T) {
	t.Parallel()
	for _, text := range []string{least, most} {
		for _, m := range lint.All(chartFolder, parseValues(t, text), "legal", true).Messages {
			if m.Severity > support.InfoSev {
				t.Error(m)
			}
		}
	}
}

func TestTheLeastValuesMakeTwoNodesAndTheirMigration(t *testing.T) {
	t.Parallel()
	o := decodeObjects(t, least)
	if len(o.deployments) != 1 || *o.deployments[0].Spec.Replicas != 2 || len(o.services) != 1 || len(o.budgets) != 1 || len(o.jobs) != 1 || len(o.ingresses) != 0 || len(o.monitors) != 0 {
		t.Fatalf("%d deployments, %d services, %d budgets, %d jobs, %d ingresses, %d monitors", len(o.deployments), len(o.services), len(o.budgets), len(o.jobs), len(o.ingresses), len(o.monitors))
	}
	j := o.jobs[0]
	if j.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || !slices.Equal(j.Spec.Template.Spec.Containers[0].Args, []string{"migrate"}) {
		t.Errorf("the job is %v %v", j.Annotations, j.Spec.Template.Spec.Containers[0].Args)
	}
}

func TestEachProcessHasItsDeploymentAndThoseWithRequestsAreServed(t *testing.T) {
	t.Parallel()
	o := decodeObjects(t, most)
	if len(o.deployments) != 3 || len(o.budgets) != 2 || len(o.ingresses) != 1 || len(o.monitors) != 1 {
		t.Fatalf("%d deployments, %d budgets, %d ingresses, %d monitors", len(o.deployments), len(o.budgets), len(o.ingresses), len(o.monitors))
	}
	for _, d := range o.deployments {
		pod := labels.Set(d.Spec.Template.Labels)
		for _, other := range o.deployments {
			if labels.SelectorFromSet(other.Spec.Selector.MatchLabels).Matches(pod) != (other == d) {
				t.Errorf("the selector of %s and the pods of %s", other.Name, d.Name)
			}
		}
		role := findVariable(t, d.Spec.Template.Spec, "SEGEL_ROLE").Value
		if served := labels.SelectorFromSet(o.services[0].Spec.Selector).Matches(pod); served != (role == "api") {
			t.Errorf("%s has the role %s and is served: %v", d.Name, role, served)
		}
	}
	for _, b := range o.budgets {
		if !slices.ContainsFunc(o.deployments, func(d *appsv1.Deployment) bool {
			return d.Name == b.Name && maps.Equal(d.Spec.Selector.MatchLabels, b.Spec.Selector.MatchLabels)
		}) {
			t.Errorf("the budget %s has no deployment", b.Name)
		}
	}
	if i := o.ingresses[0]; i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name != o.services[0].Name || i.Spec.TLS[0].SecretName != "segel-tls" {
		t.Errorf("the ingress is %+v", i.Spec)
	}
}

func TestEveryPodIsUnprivilegedAndTakesSecretsFromSecrets(t *testing.T) {
	t.Parallel()
	secret := []string{"SEGEL_DATABASE", "SEGEL_MASTER_KEY", "SEGEL_S3_ACCESS_KEY", "SEGEL_S3_SECRET_KEY", "SEGEL_MAIL_SERVERS", "SEGEL_METRICS_TOKEN"}
	o := decodeObjects(t, most)
	pods := []corev1.PodSpec{o.jobs[0].Spec.Template.Spec}
	for _, d := range o.deployments {
		pods = append(pods, d.Spec.Template.Spec)
	}
	for _, pod := range pods {
		if s := pod.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser != 65532 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault || *pod.AutomountServiceAccountToken {
			t.Errorf("the pod is %+v", s)
		}
		c := pod.Containers[0]
		if s := c.SecurityContext; *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("the container is %+v", s)
		}
		if want := "registry.example.com/segel@sha256:" + strings.Repeat("0", 64); c.Image != want {
			t.Errorf("the image is %s", c.Image)
		}
		seen := map[string]bool{}
		for _, v := range c.Env {
			if seen[v.Name] {
				t.Errorf("%s is set twice", v.Name)
			}
			seen[v.Name] = true
			if slices.Contains(secret, v.Name) != (v.ValueFrom != nil && v.ValueFrom.SecretKeyRef != nil && v.Value == "") {
				t.Errorf("%s is %q %v", v.Name, v.Value, v.ValueFrom)
			}
		}
		for _, name := range secret {
			if !seen[name] {
				t.Errorf("%s is not set", name)
			}
		}
		if migrate := findVariable(t, pod, "SEGEL_MIGRATE").Value; migrate != "off" {
			t.Errorf("pods migrate: %s", migrate)
		}
	}
}

func TestAPodEndsAfterItsRequestsAndJobs(t *testing.T) {
	t.Parallel()
	pod := decodeObjects(t, least+"drainSeconds: 20\nshutdownSeconds: 300\n").deployments[0].Spec.Template.Spec
	c := pod.Containers[0]
	if *pod.TerminationGracePeriodSeconds != 330 || findVariable(t, pod, "SEGEL_DRAIN_WAIT").Value != "20s" || findVariable(t, pod, "SEGEL_SHUTDOWN_WAIT").Value != "300s" {
		t.Errorf("a pod has %d seconds", *pod.TerminationGracePeriodSeconds)
	}
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" || c.StartupProbe.HTTPGet.Path != "/healthz" {
		t.Errorf("the probes are %v %v %v", c.ReadinessProbe, c.LivenessProbe, c.StartupProbe)
	}
}

func findVariable(t *testing.T, pod corev1.PodSpec, name string) corev1.EnvVar {
	t.Helper()
	i := slices.IndexFunc(pod.Containers[0].Env, func(v corev1.EnvVar) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("%s is not set", name)
	}
	return pod.Containers[0].Env[i]
}

func TestValuesThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ values, want string }{
		{"", "publicURL"},
		{strings.Replace(least, "https://segel", "http://segel", 1), "publicURL"},
		{strings.Replace(least, ".com\ndatabase", ".com/\ndatabase", 1), "publicURL"},
		{strings.Replace(least, "segel-database", `""`, 1), "database/existingSecret"},
		{strings.Replace(least, "{existingSecret: segel-keys}", "{key: Zm9v}", 1), "masterKey"},
		{strings.Replace(least, "existingSecret: segel-s3", "accessKey: a, secretKey: b", 1), "s3"},
		{strings.Replace(least, "bucket: segel", "bucket: S", 1), "s3/bucket"},
		{least + "databse: {}\n", "databse"},
		{least + "image: {digest: latest}\n", "image/digest"},
		{least + "processes: []\n", "processes"},
		{least + "processes: [{name: api, roles: [api, worker], replicas: 2}]\n", "processes"},
		{least + "processes: [{name: all, roles: [api, worker, convert, admin], replicas: 2}]\n", "processes/0/roles"},
		{least + "processes: [{name: all, roles: [api, worker, convert], replicas: 0}]\n", "processes/0/replicas"},
		{least + "processes: [{name: All, roles: [api, worker, convert], replicas: 1}]\n", "processes/0/name"},
		{least + "convert: libreoffice\n", "convert"},
		{least + "settings: {SEGEL_DATABASE: postgres://segel:segel@db/segel}\n", "'SEGEL_DATABASE'"},
		{least + "settings: {SEGEL_STAMP_PASSWORD: a}\n", "'SEGEL_STAMP_PASSWORD'"},
		{least + "settings: {SEGEL_MIGRATE: auto}\n", "'SEGEL_MIGRATE'"},
		{least + "settings: {PATH: /}\n", "'PATH'"},
		{least + "secretSettings: {SEGEL_MAIL_SERVERS: smtp://u:p@mail}\n", "secretSettings"},
		{least + "secretSettings: {SEGEL_MASTER_KEY: {existingSecret: a, key: b}}\n", "'SEGEL_MASTER_KEY'"},
		{least + "ingress: {enabled: true}\n", "ingress/host"},
		{least + "podMonitor: {enabled: true}\n", "podMonitor/existingSecret"},
		{least + "trustedProxies: [everybody]\n", "trustedProxies"},
		{least + "service: {type: ExternalName}\n", "service/type"},
		{least + "temporarySpace: much\n", "temporarySpace"},
		{least + "shutdownSeconds: 1m\n", "shutdownSeconds"},
	} {
		if _, err := renderChart(t, c.values); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want something about %s", strings.TrimPrefix(c.values, least), err, c.want)
		}
	}
}

// TestTheChartOfAReleaseIsThatOfTheSourcesWithItsVersion reads what make dist made; make check-dist names its folder.
func TestTheChartOfAReleaseIsThatOfTheSourcesWithItsVersion(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("SEGEL_DIST")
	if folder == "" {
		t.Skip("SEGEL_DIST does not name what make dist made")
	}
	found, err := filepath.Glob(filepath.Join(folder, "segel-chart_*.tgz"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	packed, err := loader.Load(found[0])
	if err != nil {
		t.Fatal(err)
	}
	source, err := loader.LoadDir(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "segel-chart_"), ".tgz")
	if packed.Metadata.Version != version || packed.Metadata.AppVersion != version || packed.Validate() != nil {
		t.Errorf("the chart is %+v, %v", packed.Metadata, packed.Validate())
	}
	if len(packed.Templates) != len(source.Templates) || !bytes.Equal(packed.Schema, source.Schema) {
		t.Errorf("%d templates of %d", len(packed.Templates), len(source.Templates))
	}
}
