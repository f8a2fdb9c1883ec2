module github.com/rowcast/rowcast/adapters/gorm

go 1.25

require (
	github.com/rowcast/rowcast v0.0.0
	gorm.io/gorm v1.31.2
)

replace github.com/rowcast/rowcast => ../..
